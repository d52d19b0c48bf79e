"""How the columns of exports are called, and which words stand in them; everything is compared folded."""

from __future__ import annotations

LEAD = (
    "lead",
    "leadid",
    "contactid",
    "contact",
    "customerid",
    "subscriberid",
    "userid",
    "conversationid",
    "threadid",
)
WORKFLOW = ("sourceworkflowid", "workflow", "workflowid", "sourceworkflow", "followup", "followupid", "fu", "fuid")
T = ("t", "minute", "minutes", "sentat", "setat", "createdat", "timestamp", "time", "ts", "at", "updatedat")
STATUS = ("status", "deliverystatus", "messagestatus", "state")
PROP = ("prop", "propertyid", "property", "propertycodename", "codename", "custompropertyid", "customproperty", "key")
VALUE = ("value", "propertyvalue", "newvalue")
DIRECTION = ("direction", "messagedirection", "sendertype", "role")
REASON = ("blockreason", "reason", "blockedby")
RUN_ONLY = ("blockreason", "runid", "workflowrunid", "blockedby")

FAILED = frozenset(("failed", "failure", "error", "undelivered", "undeliverable", "rejected", "bounced"))
DELIVERED = frozenset(("ok", "pending", "sent", "delivered", "read", "success", "accepted", "queued", ""))
OF_RUNS = frozenset(("completed", "skipped", "blocked", "running", "cancelled"))
INBOUND = frozenset(("in", "inbound", "incoming", "received", "lead", "user", "customer", "contact"))
OUTBOUND = frozenset(("out", "outbound", "outgoing", "sent", "agent", "assistant", "bot", "ai", "system", "human", ""))
TRUE, FALSE = frozenset(("true", "t", "1", "yes", "y")), frozenset(("false", "f", "0", "no", "n"))

STAMP_TABLE = {"lead": LEAD, "prop": PROP, "value": VALUE, "t": T}
MESSAGE_TABLE = {"lead": LEAD, "workflow": WORKFLOW, "t": T, "status": STATUS}
MESSAGE_EXTRAS = {"direction": DIRECTION, "run": RUN_ONLY}
RUN_TABLE = {"lead": LEAD, "workflow": WORKFLOW, "t": T}
RUN_EXTRAS = {"status": STATUS, "reason": REASON}

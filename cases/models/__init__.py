"""The records of casework. Rows are projections of each case's history; only acts change them."""

from cases.models.absence import Absence
from cases.models.account import AccountChange
from cases.models.beside import Presence, Relation
from cases.models.bulk import BulkAct, BulkRow
from cases.models.case import Case
from cases.models.client import CallCount, Client, KeptAnswer, Token
from cases.models.customer import CustomerPage, PageEntry
from cases.models.document import Document, Requirement
from cases.models.draft import Draft
from cases.models.erasure import (
    Destruction,
    DestructionRow,
    Erasure,
    Hold,
    RetentionRule,
)
from cases.models.export import Export, ExportCase, ExportPart
from cases.models.figures import StepDay, TeamDay
from cases.models.job import Job, JobRow
from cases.models.letter import Letter, LetterTemplate, TemplateVersion
from cases.models.message import Message
from cases.models.note import Note, Notice
from cases.models.notice import Digest, MutedKind, NoticeRead
from cases.models.once import Once
from cases.models.opening import Opening
from cases.models.person import Identity, Person, Team
from cases.models.reminder import Reminder
from cases.models.savedlist import SavedList
from cases.models.search import SearchEntry, SearchWord
from cases.models.task import Task
from cases.models.upload import Upload, UploadPart

__all__ = [
    "Absence",
    "AccountChange",
    "BulkAct",
    "BulkRow",
    "CallCount",
    "Case",
    "Client",
    "CustomerPage",
    "Destruction",
    "DestructionRow",
    "Digest",
    "Document",
    "Draft",
    "Erasure",
    "Export",
    "ExportCase",
    "ExportPart",
    "Hold",
    "Identity",
    "Job",
    "JobRow",
    "KeptAnswer",
    "Letter",
    "LetterTemplate",
    "Message",
    "MutedKind",
    "Note",
    "Notice",
    "NoticeRead",
    "Once",
    "Opening",
    "PageEntry",
    "Person",
    "Presence",
    "Relation",
    "Reminder",
    "Requirement",
    "RetentionRule",
    "SavedList",
    "SearchEntry",
    "SearchWord",
    "StepDay",
    "Task",
    "Team",
    "TeamDay",
    "TemplateVersion",
    "Token",
    "Upload",
    "UploadPart",
]

"""Settings. Safe values are the defaults; what differs by place comes from the environment.

docs/running.md lists every variable.
"""

from typing import Any
from urllib.parse import quote

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import broker, environment

BASE_DIR = environment.CHECKOUT
DATA_DIR = environment.data_folder()
environment.load_kept(DATA_DIR)

# --- What kind of installation this is -----------------------------------------------------

# A demo installation may turn its clock, shows its mail on a page and works without TLS.
LONGCASE_DEMO = environment.flag("LONGCASE_DEMO")
DEBUG = environment.flag("LONGCASE_DEBUG")
SECRET_KEY = environment.text(
    "LONGCASE_SECRET_KEY", "a-demo-has-no-secrets" if LONGCASE_DEMO else None
)
# The keys that wrap the keys of cases: without them nobody reads what is sealed in their histories.
LONGCASE_MASTER_KEYS = environment.master_keys(
    "LONGCASE_MASTER_KEYS",
    "demo:YS1kZW1vLWhhcy1uby1zZWNyZXRzLWEtZGVtby1oYXM=" if LONGCASE_DEMO else "",
)
LONGCASE_KEY_SERVICE = environment.text("LONGCASE_KEY_SERVICE", "")  # a class; see audit/masters.py
ALLOWED_HOSTS = environment.words(
    "LONGCASE_HOSTS", ("*",) if LONGCASE_DEMO else ("localhost", "127.0.0.1", "[::1]")
)
CSRF_TRUSTED_ORIGINS = environment.words("LONGCASE_ORIGINS")

# --- Apps ----------------------------------------------------------------------------------

# In the order of dependence: each imports only what stands above it. Kinds come last.
OUR_APPS = ["audit", "timers", "cases", "processes"]
OUR_APPS += environment.kinds(
    "LONGCASE_KINDS",
    (
        "processes.loan",
        "processes.permit",
        "processes.claim",
        "processes.onboarding",
        "processes.enforcement",
    ),
)
INSTALLED_APPS = [
    *OUR_APPS,
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "csp",
    "django_fsm",
    "django_htmx",
    "drf_spectacular",
    "rest_framework",
    "rules",
    "template_partials",
]
MIDDLEWARE = [
    "config.health.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "cases.middleware.LanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "cases.middleware.PageMiddleware",
    "cases.middleware.ReadLogMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
            ],
        },
    }
]

# --- Database ------------------------------------------------------------------------------

DATABASE_URL = environment.text("DATABASE_URL", environment.embedded_database_url(DATA_DIR))
DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(DATABASE_URL, conn_max_age=60, conn_health_checks=True)
}
LONGCASE_IDLE_TRANSACTION_SECONDS = environment.whole_number(
    "LONGCASE_IDLE_TRANSACTION_SECONDS", 60, least=0
)
if LONGCASE_IDLE_TRANSACTION_SECONDS:
    # A process that freezes in the middle of a transaction would hold its locks for ever.
    _options = DATABASES["default"].setdefault("OPTIONS", {})
    _options["options"] = " ".join(
        [
            f"-c idle_in_transaction_session_timeout={LONGCASE_IDLE_TRANSACTION_SECONDS}s",
            _options.get("options", ""),
        ]
    ).strip()
if DATABASES["default"].get("ENGINE") != "django.db.backends.postgresql":
    raise ImproperlyConfigured("DATABASE_URL must name a Postgres database: postgresql://...")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Celery: messages are wake-up calls, so losing one costs seconds and never work ---------

CELERY_BROKER_URL = environment.text("CELERY_BROKER_URL", "pgmq://localhost")
CELERY_BROKER_TRANSPORT_OPTIONS = broker.transport_options(
    broker_url=CELERY_BROKER_URL, database_url=DATABASE_URL
)
CELERY_BROKER_POOL_LIMIT = 2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_DEFAULT_QUEUE = "wake"
CELERY_TASK_ROUTES = {
    "processes.work.perform": {"queue": "long"},
    "processes.work.coderuns": {"queue": "long"},
    "processes.work.bulkacts": {"queue": "long"},
    "processes.work.jobs": {"queue": "long"},
    "processes.proof.runs": {"queue": "long"},
    "processes.proof.anchoring": {"queue": "long"},
    "processes.work.exports": {"queue": "long"},
    "processes.work.destructions": {"queue": "long"},
}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_BACKEND = None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_PUBLISH_RETRY = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 2, "interval_start": 0.1, "interval_max": 0.5}
CELERY_TASK_TIME_LIMIT = 120  # seconds; below broker.VISIBILITY_SECONDS
CELERY_TASK_SOFT_TIME_LIMIT = 90
CELERY_WORKER_PREFETCH_MULTIPLIER = 8 if CELERY_BROKER_URL.startswith("pgmq") else 1
# PGMQ cannot carry the names of reply queues; workers show themselves by heartbeat rows.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not CELERY_BROKER_URL.startswith("pgmq")
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
if CELERY_BROKER_URL.startswith("amqp"):
    CELERY_TASK_DEFAULT_QUEUE_TYPE = "quorum"

# --- People --------------------------------------------------------------------------------

AUTH_USER_MODEL = "cases.Person"
AUTHENTICATION_BACKENDS = [
    "rules.permissions.ObjectPermissionBackend",
    "cases.backend.PersonBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

# The organisation's own sign-in service (OpenID Connect); without an issuer there is none.
LONGCASE_OIDC_ISSUER = environment.text("LONGCASE_OIDC_ISSUER", "")
LONGCASE_OIDC_CLIENT_ID = environment.text("LONGCASE_OIDC_CLIENT_ID", "longcase")
LONGCASE_OIDC_CLIENT_SECRET = environment.text("LONGCASE_OIDC_CLIENT_SECRET", "")
LONGCASE_OIDC_SCOPES = environment.text("LONGCASE_OIDC_SCOPES", "openid email profile")
LONGCASE_OIDC_NAME = environment.text("LONGCASE_OIDC_NAME", "your organisation")
LONGCASE_OIDC_BY_ADDRESS = environment.flag("LONGCASE_OIDC_BY_ADDRESS", True)
LONGCASE_OIDC_ONLY = environment.flag("LONGCASE_OIDC_ONLY")
if LONGCASE_OIDC_ONLY and not LONGCASE_OIDC_ISSUER:
    raise ImproperlyConfigured(
        "LONGCASE_OIDC_ONLY without LONGCASE_OIDC_ISSUER would let nobody in: set both or neither."
    )

# --- Words, days and numbers ---------------------------------------------------------------

USE_TZ = True
TIME_ZONE = environment.text("LONGCASE_TIME_ZONE", "Europe/Amsterdam")
USE_I18N = True
LANGUAGE_CODE = environment.text("LONGCASE_LANGUAGE", "en")
LANGUAGES = [("en", "English"), ("nl", "Nederlands")]
LOCALE_PATHS = [BASE_DIR / "locale"]

# --- Files ---------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = environment.folder("LONGCASE_STATIC_DIR", DATA_DIR / "static")
STATICFILES_DIRS = [folder for folder in [BASE_DIR / "static"] if folder.exists()]
MEDIA_ROOT = environment.folder("LONGCASE_STORAGE_DIR", DATA_DIR / "documents")
LONGCASE_UPLOAD_BYTES = environment.whole_number(
    "LONGCASE_UPLOAD_BYTES", 25 * 1024 * 1024, least=1024
)
LONGCASE_UPLOAD_HOURS = environment.whole_number(  # a document that comes in parts may rest
    "LONGCASE_UPLOAD_HOURS", 24, least=1
)
LONGCASE_EXPORT_DAYS = environment.whole_number(  # a file of cases is kept so long
    "LONGCASE_EXPORT_DAYS", 7, least=1, most=90
)
LONGCASE_EXPORT_ATTACH_BYTES = environment.whole_number(  # of documents in one PDF
    "LONGCASE_EXPORT_ATTACH_BYTES", 100 * 1024 * 1024, least=0
)
LONGCASE_UPLOAD_FILES = environment.whole_number("LONGCASE_UPLOAD_FILES", 20, least=1, most=100)
DATA_UPLOAD_MAX_NUMBER_FILES = LONGCASE_UPLOAD_FILES + 1  # one more, to say that it is too many
# Names that end so are never taken; programs, and pages with script, neither, whatever they end in.
LONGCASE_REFUSED_ENDINGS = frozenset(
    environment.words(
        "LONGCASE_REFUSED_ENDINGS",
        (
            *("exe", "dll", "com", "scr", "msi", "bat", "cmd", "ps1", "vbs", "js", "jse", "wsf"),
            *("jar", "apk", "lnk", "hta", "app", "sh"),
            *("htm", "html", "xhtml", "svg", "svgz", "mht", "mhtml", "xml", "xsl", "xslt"),
        ),
    )
)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
FILE_UPLOAD_PERMISSIONS = 0o600
STORAGES: dict[str, Any] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
S3_BUCKET = environment.text("LONGCASE_S3_BUCKET", "")
if S3_BUCKET:
    STORAGES["default"] = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": environment.text("LONGCASE_S3_ENDPOINT", "") or None,
            "region_name": environment.text("LONGCASE_S3_REGION", "") or None,
            "default_acl": "private",
            "file_overwrite": False,
        },
    }

# --- Mail ----------------------------------------------------------------------------------

globals().update(
    environment.email(
        "EMAIL_URL",
        f"folder:{quote(str(DATA_DIR / 'mail'))}" if LONGCASE_DEMO else "smtp://localhost:25",
    )
)
DEFAULT_FROM_EMAIL = environment.text("LONGCASE_MAIL_FROM", "Longcase <longcase@localhost>")

# The key of the marks that the read log keeps of search words. With another key, what was looked
# for before cannot be asked any more.
LONGCASE_READ_LOG_KEY = environment.text("LONGCASE_READ_LOG_KEY", SECRET_KEY)
LONGCASE_PURPOSE_HOURS = environment.whole_number(  # a restricted case stays open to who opened it
    "LONGCASE_PURPOSE_HOURS", 8, least=1, most=24 * 14
)
# Whether staff go by their name or by their role in what a person is told who saw their data.
LONGCASE_READ_REPORT_BY = environment.text("LONGCASE_READ_REPORT_BY", "name")
if LONGCASE_READ_REPORT_BY not in ("name", "role"):
    raise ImproperlyConfigured("LONGCASE_READ_REPORT_BY is “name” or “role”.")
LONGCASE_READ_LOG_MONTHS = environment.whole_number("LONGCASE_READ_LOG_MONTHS", 60, least=1)

LONGCASE_DIGEST_HOUR = environment.whole_number("LONGCASE_DIGEST_HOUR", 7, least=0, most=23)

# --- Days and limits of the organisation -----------------------------------------------------

LONGCASE_HOLIDAYS = environment.text("LONGCASE_HOLIDAYS", "NL")  # a country, or as DE-BY
LONGCASE_FREE_DAYS = environment.words("LONGCASE_FREE_DAYS")  # beyond those: 2027-05-14,...
LONGCASE_OPENING_HOURS = environment.hours("LONGCASE_OPENING_HOURS", "09:00-17:00")
LONGCASE_EVENT_BYTES = environment.whole_number("LONGCASE_EVENT_BYTES", 256 * 1024, least=4096)
LONGCASE_UNDO_MINUTES = environment.whole_number(  # a wrong click; see processes/acts/undoing.py
    "LONGCASE_UNDO_MINUTES", 30, least=0
)
LONGCASE_TAKE_BACK_HOURS = environment.whole_number(  # by whoever decided; supervisors always may
    "LONGCASE_TAKE_BACK_HOURS", 24, least=0
)
LONGCASE_RETENTION_YEARS = environment.whole_number(  # of cases whose kind says nothing
    "LONGCASE_RETENTION_YEARS", 7, least=1
)
LONGCASE_TRANSITIONS_PER_WAKE = environment.whole_number(
    "LONGCASE_TRANSITIONS_PER_WAKE", 50, least=1
)
LONGCASE_MESSAGE_BYTES = environment.whole_number("LONGCASE_MESSAGE_BYTES", 64 * 1024, least=1024)
LONGCASE_OPEN_WAITS = environment.whole_number("LONGCASE_OPEN_WAITS", 1000, least=1)
LONGCASE_SHORT_LEASE_SECONDS = environment.whole_number("LONGCASE_SHORT_LEASE_SECONDS", 60, least=1)
LONGCASE_LONG_LEASE_SECONDS = environment.whole_number("LONGCASE_LONG_LEASE_SECONDS", 60, least=1)
# A long activity whose message brought nobody is called for again after this.
LONGCASE_PUBLISH_AGAIN_SECONDS = environment.whole_number(
    "LONGCASE_PUBLISH_AGAIN_SECONDS", 60, least=1
)
LONGCASE_DRAIN_THREADS = environment.whole_number("LONGCASE_DRAIN_THREADS", 8, least=1, most=256)

# --- Proof ---------------------------------------------------------------------------------

# Secret keys that sign the anchors of all histories, the newest first (docs/proof.md).
LONGCASE_ANCHOR_KEYS = environment.signing_keys("LONGCASE_ANCHOR_KEYS")
LONGCASE_ANCHOR_HOUR = environment.whole_number("LONGCASE_ANCHOR_HOUR", 0, least=0, most=23)
# Where anchors are written elsewhere: a folder, addresses of mail and of the web, a time-stamp
# authority (RFC 3161) with the certificates that its stamps are to lead to.
LONGCASE_ANCHOR_FOLDER = environment.text("LONGCASE_ANCHOR_FOLDER", "")
LONGCASE_ANCHOR_MAIL = environment.words("LONGCASE_ANCHOR_MAIL")
LONGCASE_ANCHOR_URLS = environment.words("LONGCASE_ANCHOR_URLS")
LONGCASE_ANCHOR_TSA = environment.text("LONGCASE_ANCHOR_TSA", "")
LONGCASE_ANCHOR_TSA_CA = environment.text("LONGCASE_ANCHOR_TSA_CA", "")

# --- Policies ------------------------------------------------------------------------------

# A permit counts as granted when the legal term passes without a decision. Holds for cases that
# are opened from then on; each keeps the policy under which it came.
LONGCASE_PERMIT_BY_DEFAULT = environment.flag("LONGCASE_PERMIT_BY_DEFAULT", True)

# --- The customer's page -----------------------------------------------------------------------

# Customers get the address of a page of their own with their first letter.
LONGCASE_CUSTOMER_PAGES = environment.flag("LONGCASE_CUSTOMER_PAGES", True)
LONGCASE_PAGE_DAYS = environment.whole_number("LONGCASE_PAGE_DAYS", 180, least=1, most=3650)
# The class that sends texts, for codes by telephone (processes/customer/channels.py).
LONGCASE_TELEPHONE = environment.text(
    "LONGCASE_TELEPHONE", "processes.customer.channels.Outbox" if LONGCASE_DEMO else ""
)

# --- Services outside ----------------------------------------------------------------------

STANDINS_PORT = environment.whole_number("STANDINS_PORT", 8100, least=1, most=65535)
STANDINS_URL = f"http://127.0.0.1:{STANDINS_PORT}"


def service_url(name: str, path: str) -> str:
    """The address of a service outside: only a demo has the stand-in for a default."""
    return environment.text(name, f"{STANDINS_URL}/{path}" if LONGCASE_DEMO else "")


LONGCASE_IDENTITY_URL = service_url("LONGCASE_IDENTITY_URL", "identity")
LONGCASE_CREDIT_URL = service_url("LONGCASE_CREDIT_URL", "credit")
LONGCASE_APPRAISER_URL = service_url("LONGCASE_APPRAISER_URL", "appraiser")
LONGCASE_BANK_URL = service_url("LONGCASE_BANK_URL", "bank")
LONGCASE_REGISTER_URL = service_url("LONGCASE_REGISTER_URL", "register")
LONGCASE_SANCTIONS_URL = service_url("LONGCASE_SANCTIONS_URL", "sanctions")
# Whom permits ask for advice, as pairs “fire_service=advice@example.org”; a party without an
# address gets its letters by post.
LONGCASE_PERMIT_ADVISERS = environment.words("LONGCASE_PERMIT_ADVISERS", ())
# Where this installation is reached from outside: third parties call back to it.
LONGCASE_PUBLIC_URL = environment.text(
    "LONGCASE_PUBLIC_URL",
    f"http://127.0.0.1:{environment.whole_number('PORT', 8000, least=1, most=65535)}",
).rstrip("/")

# --- Safety on the wire --------------------------------------------------------------------

SECURE_SSL_REDIRECT = environment.flag("LONGCASE_TLS", not LONGCASE_DEMO)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT
SECURE_HSTS_SECONDS = environment.whole_number(
    "LONGCASE_HSTS_SECONDS", 31_536_000 if SECURE_SSL_REDIRECT else 0, least=0
)
LONGCASE_BEHIND_PROXY = environment.flag("LONGCASE_BEHIND_PROXY")
if LONGCASE_BEHIND_PROXY:
    # Only behind a proxy that sets this header itself: otherwise any caller could claim TLS.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = environment.whole_number("LONGCASE_SESSION_SECONDS", 10 * 3600, least=60)
X_FRAME_OPTIONS = "DENY"
# Subdomains and the browsers' preload list bind more than this one host: that is for whoever
# owns the domain to say, not for a default.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "frame-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# --- API -----------------------------------------------------------------------------------

LONGCASE_API_CALLS = environment.whole_number("LONGCASE_API_CALLS", 1200, least=1)  # a minute
LONGCASE_API_FAILURES = environment.whole_number("LONGCASE_API_FAILURES", 60, least=1)  # a minute
LONGCASE_API_BYTES = environment.whole_number("LONGCASE_API_BYTES", 1024 * 1024, least=1024)
LONGCASE_JOB_BYTES = environment.whole_number(  # of a file of cases
    "LONGCASE_JOB_BYTES", 20 * 1024 * 1024, least=1024
)
# Calls that wait for the feed, in each process of the web server: each holds one of its threads.
LONGCASE_FEED_WAITERS = environment.whole_number("LONGCASE_FEED_WAITERS", 2, least=0)
# Webhooks are sent to public addresses with TLS; and to these networks: 10.1.0.0/16,…
LONGCASE_WEBHOOK_NETWORKS = environment.networks(
    "LONGCASE_WEBHOOK_NETWORKS", ("127.0.0.0/8", "::1/128") if LONGCASE_DEMO else ()
)
LONGCASE_WEBHOOK_SECONDS = environment.whole_number("LONGCASE_WEBHOOK_SECONDS", 15, least=1)
LONGCASE_WEBHOOK_DAYS = environment.whole_number("LONGCASE_WEBHOOK_DAYS", 5, least=1)
LONGCASE_WEBHOOK_THREADS = environment.whole_number("LONGCASE_WEBHOOK_THREADS", 8, least=2, most=64)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "processes.api.callers.TokenAuthentication",
        "processes.api.callers.PageSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["processes.api.callers.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["processes.api.throttles.PerCaller"],
    "DEFAULT_PARSER_CLASSES": ["processes.api.parsing.ExactJSON"],
    "DEFAULT_RENDERER_CLASSES": ["processes.api.rendering.JSON"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "processes.api.problems.handle",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Longcase",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "DESCRIPTION": "Cases that take weeks: open them, read them, and act on them.",
    "LICENSE": {"name": "Apache-2.0"},
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "AUTHENTICATION_WHITELIST": [
        "processes.api.callers.TokenAuthentication",
        "processes.api.signed.SignatureAuthentication",
    ],
    "POSTPROCESSING_HOOKS": ["processes.api.schema.complete"],
    "PREPROCESSING_HOOKS": ["processes.api.schema.only_ours"],
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}

# --- Logs: ids and references, never people's data -------------------------------------------

LOG_LEVEL = environment.text("LONGCASE_LOG_LEVEL", "INFO").upper()
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "config.logs.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        "httpx": {"level": "WARNING"},  # would log addresses with people's numbers in them
        "httpcore": {"level": "WARNING"},
    },
}

import cases.extensions
import cases.fields
import cases.together
import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import django_fsm
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [  # all before the first release
        ("cases", "0001_initial"),
        ("cases", "0002_once"),
        ("cases", "0003_clients"),
        ("cases", "0004_drafts"),
        ("cases", "0005_absences"),
        ("cases", "0006_absences_have_dates"),
        ("cases", "0007_saved_lists_and_bulk_acts"),
        ("cases", "0008_search"),
        ("cases", "0009_beside_the_case"),
        ("cases", "0010_papers"),
        ("cases", "0011_team_figures"),
        ("cases", "0012_customer_pages"),
        ("cases", "0013_cases_by_due_date"),
        ("cases", "0014_client_signing"),
        ("cases", "0015_sign_in"),
        ("cases", "0016_notices_read_and_mailed"),
        ("cases", "0017_jobs"),
        ("cases", "0018_person_language"),
        ("cases", "0019_uploads"),
        ("cases", "0020_exports"),
        ("cases", "0021_retention_holds_and_erasure"),
        ("cases", "0022_lists_by_parts"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        cases.extensions.NeedExtension(
            name="pg_trgm",
        ),
        cases.extensions.NeedExtension(
            name="btree_gin",
        ),
        cases.together.CreateTogether(
            models=[
                migrations.CreateModel(
                    name="Case",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("reference", models.CharField(max_length=40, unique=True)),
                        ("kind", models.CharField(max_length=40)),
                        ("title", models.CharField(max_length=200)),
                        ("step", django_fsm.FSMField(max_length=60, protected=True)),
                        ("visit", models.IntegerField(default=0)),
                        ("step_version", models.IntegerField(default=1)),
                        ("code_digest", models.CharField(blank=True, default="", max_length=64)),
                        ("entered_number", models.IntegerField(default=0)),
                        ("entered_at", models.DateTimeField(null=True)),
                        ("head_number", models.IntegerField(default=0)),
                        (
                            "head_hash",
                            models.BinaryField(
                                default=b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
                            ),
                        ),
                        ("restricted", models.BooleanField(default=False)),
                        ("waits", cases.fields.DataField(default=list)),
                        ("waiting_on", models.CharField(blank=True, default="", max_length=80)),
                        ("waiting_since", models.DateTimeField(null=True)),
                        ("waiting_until", models.DateTimeField(null=True)),
                        ("opened_at", models.DateTimeField()),
                        ("closed_at", models.DateTimeField(null=True)),
                        ("stopped_at", models.DateTimeField(null=True)),
                        ("outcome", models.CharField(blank=True, default="", max_length=60)),
                        ("outcome_reason", models.TextField(blank=True, default="")),
                        ("erased_at", models.DateTimeField(null=True)),
                        ("parent_visit", models.IntegerField(null=True)),
                        ("parent_command", models.IntegerField(null=True)),
                        ("source", models.CharField(blank=True, default="", max_length=80)),
                        ("source_key", models.CharField(blank=True, default="", max_length=200)),
                        (
                            "owner",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "parent",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="children",
                                to="cases.case",
                            ),
                        ),
                        (
                            "team",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="cases.team",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("closed_at__isnull", True)),
                                fields=["owner", "waiting_until"],
                                name="case_open_by_owner",
                            ),
                            models.Index(
                                condition=models.Q(("closed_at__isnull", True)),
                                fields=["team", "waiting_until"],
                                name="case_open_by_team",
                            ),
                            models.Index(
                                condition=models.Q(
                                    ("closed_at__isnull", True), ("owner__isnull", True)
                                ),
                                fields=["team", "waiting_until"],
                                name="case_open_of_nobody",
                            ),
                            models.Index(
                                condition=models.Q(("closed_at__isnull", True)),
                                fields=["waiting_until", "id"],
                                name="case_open_by_due",
                            ),
                            models.Index(
                                models.F("team"),
                                models.OrderBy(models.F("closed_at"), descending=True),
                                models.OrderBy(models.F("id"), descending=True),
                                condition=models.Q(("closed_at__isnull", False)),
                                name="case_closed_by_team",
                            ),
                            models.Index(
                                models.OrderBy(models.F("closed_at"), descending=True),
                                models.OrderBy(models.F("id"), descending=True),
                                condition=models.Q(("closed_at__isnull", False)),
                                name="case_closed_last",
                            ),
                            models.Index(
                                condition=models.Q(("stopped_at__isnull", False)),
                                fields=["stopped_at"],
                                name="case_stopped",
                            ),
                            models.Index(
                                condition=models.Q(
                                    ("closed_at__isnull", False), ("erased_at__isnull", True)
                                ),
                                fields=["kind", "closed_at"],
                                name="case_closed",
                            ),
                            models.Index(
                                condition=models.Q(("parent__isnull", False)),
                                fields=["parent"],
                                name="case_parent",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("source_key", ""), _negated=True),
                                fields=("source", "source_key"),
                                name="case_once_per_source_key",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("closed_at__isnull", True), ("waits", "[]"), _connector="OR"
                                ),
                                name="closed_case_waits_for_nothing",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Client",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.SlugField(max_length=60, unique=True)),
                        ("title", models.CharField(max_length=200)),
                        ("scopes", cases.fields.DataField(default=list)),
                        ("is_active", models.BooleanField(default=True)),
                        ("made_at", models.DateTimeField()),
                        ("made_by", models.CharField(max_length=80)),
                        ("signing_salt", models.CharField(blank=True, default="", max_length=32)),
                        ("signing_before", models.CharField(blank=True, default="", max_length=32)),
                        ("signing_until", models.DateTimeField(null=True)),
                        (
                            "team",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.team",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="Team",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=120, unique=True)),
                    ],
                ),
                migrations.CreateModel(
                    name="Person",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("password", models.CharField(max_length=128, verbose_name="password")),
                        (
                            "last_login",
                            models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                        ),
                        (
                            "is_superuser",
                            models.BooleanField(
                                default=False,
                                help_text="Designates that this user has all permissions without explicitly assigning them.",
                                verbose_name="superuser status",
                            ),
                        ),
                        (
                            "username",
                            models.CharField(
                                error_messages={
                                    "unique": "A user with that username already exists."
                                },
                                help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                                max_length=150,
                                unique=True,
                                validators=[
                                    django.contrib.auth.validators.UnicodeUsernameValidator()
                                ],
                                verbose_name="username",
                            ),
                        ),
                        (
                            "first_name",
                            models.CharField(blank=True, max_length=150, verbose_name="first name"),
                        ),
                        (
                            "last_name",
                            models.CharField(blank=True, max_length=150, verbose_name="last name"),
                        ),
                        (
                            "email",
                            models.EmailField(
                                blank=True, max_length=254, verbose_name="email address"
                            ),
                        ),
                        (
                            "is_staff",
                            models.BooleanField(
                                default=False,
                                help_text="Designates whether the user can log into this admin site.",
                                verbose_name="staff status",
                            ),
                        ),
                        (
                            "is_active",
                            models.BooleanField(
                                default=True,
                                help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                                verbose_name="active",
                            ),
                        ),
                        (
                            "date_joined",
                            models.DateTimeField(
                                default=django.utils.timezone.now, verbose_name="date joined"
                            ),
                        ),
                        ("language", models.CharField(blank=True, default="", max_length=10)),
                        (
                            "scheme",
                            models.CharField(
                                choices=[
                                    ("system", "As the system"),
                                    ("light", "Light"),
                                    ("dark", "Dark"),
                                ],
                                default="system",
                                max_length=10,
                            ),
                        ),
                        ("keys_off", models.BooleanField(default=False)),
                        (
                            "digest",
                            models.CharField(
                                choices=[
                                    ("daily", "Each day, when there is something"),
                                    ("weekly", "Each Monday, when there is something"),
                                    ("never", "Never"),
                                ],
                                default="daily",
                                max_length=10,
                            ),
                        ),
                        ("capacity", models.PositiveSmallIntegerField(blank=True, null=True)),
                        (
                            "groups",
                            models.ManyToManyField(
                                blank=True,
                                help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.group",
                                verbose_name="groups",
                            ),
                        ),
                        (
                            "user_permissions",
                            models.ManyToManyField(
                                blank=True,
                                help_text="Specific permissions for this user.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.permission",
                                verbose_name="user permissions",
                            ),
                        ),
                        (
                            "start_list",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="cases.savedlist",
                            ),
                        ),
                        (
                            "leads",
                            models.ManyToManyField(
                                blank=True, related_name="leaders", to="cases.team"
                            ),
                        ),
                        (
                            "team",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="cases.team",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "user",
                        "verbose_name_plural": "users",
                        "abstract": False,
                    },
                    managers=[
                        ("objects", django.contrib.auth.models.UserManager()),
                    ],
                ),
                migrations.CreateModel(
                    name="BulkAct",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("what", models.CharField(max_length=12)),
                        ("back", models.CharField(default="/work/", max_length=1000)),
                        ("left_out", models.IntegerField(default=0)),
                        ("asked", cases.fields.DataField(default=dict)),
                        ("chosen_at", models.DateTimeField()),
                        ("begun_at", models.DateTimeField(null=True)),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(
                                    ("begun_at__isnull", False), ("ended_at__isnull", True)
                                ),
                                fields=["begun_at"],
                                name="bulk_act_under_way",
                            ),
                            models.Index(
                                condition=models.Q(("begun_at__isnull", True)),
                                fields=["chosen_at"],
                                name="bulk_act_not_begun",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CallCount",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("caller", models.CharField(max_length=80)),
                        ("minute", models.BigIntegerField()),
                        ("calls", models.IntegerField(default=0)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("caller", "minute"), name="call_count_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SearchEntry",
                    fields=[
                        (
                            "case",
                            models.OneToOneField(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                primary_key=True,
                                related_name="search",
                                serialize=False,
                                to="cases.case",
                            ),
                        ),
                        ("team_id", models.BigIntegerField(null=True)),
                        ("told", cases.fields.DataField(default=list)),
                        ("text", models.TextField()),
                    ],
                    options={
                        "verbose_name_plural": "search entries",
                        "indexes": [
                            django.contrib.postgres.indexes.GinIndex(
                                fields=["team_id", "text"],
                                gin_pending_list_limit=1024,
                                name="search_text",
                                opclasses=["int8_ops", "gin_trgm_ops"],
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CustomerPage",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("party", models.CharField(max_length=80)),
                        ("name", models.CharField(max_length=200)),
                        ("email", models.EmailField(blank=True, default="", max_length=254)),
                        ("phone", models.CharField(blank=True, default="", max_length=40)),
                        ("token", models.CharField(max_length=43, unique=True)),
                        ("given_with", models.CharField(max_length=120, unique=True)),
                        ("given_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField()),
                        ("revoked_at", models.DateTimeField(null=True)),
                        ("entered_at", models.DateTimeField(null=True)),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="customer_pages",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("revoked_at__isnull", True)),
                                fields=("case", "party"),
                                name="customer_page_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Destruction",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "what",
                            models.CharField(
                                choices=[
                                    ("list", "Destruction list"),
                                    ("request", "Request of a person"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("asked_at", models.DateTimeField()),
                        ("asked_by", models.CharField(max_length=80)),
                        ("reason", models.TextField(blank=True, default="")),
                        ("basis", models.TextField(blank=True, default="")),
                        ("stays", models.BooleanField(default=False)),
                        ("first_at", models.DateTimeField(null=True)),
                        ("second_at", models.DateTimeField(null=True)),
                        ("dropped_at", models.DateTimeField(null=True)),
                        ("dropped_by", models.CharField(blank=True, default="", max_length=80)),
                        ("dropped_why", models.TextField(blank=True, default="")),
                        ("begun_at", models.DateTimeField(null=True)),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("looked_at", models.DateTimeField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        (
                            "first_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "second_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=["asked_at"],
                                name="destruction_unfinished",
                            )
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("second_by__isnull", True),
                                    models.Q(
                                        ("first_by__isnull", False),
                                        models.Q(
                                            ("second_by", models.F("first_by")), _negated=True
                                        ),
                                    ),
                                    _connector="OR",
                                ),
                                name="destruction_by_two",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="DestructionRow",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("listed", "To be erased"),
                                    ("off", "Taken off"),
                                    ("erased", "Erased"),
                                    ("refused", "Not erased"),
                                ],
                                default="listed",
                                max_length=8,
                            ),
                        ),
                        ("why", models.TextField(blank=True, default="")),
                        ("settled_at", models.DateTimeField(null=True)),
                        ("settled_by", models.CharField(blank=True, default="", max_length=80)),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                        (
                            "destruction",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="rows",
                                to="cases.destruction",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["destruction", "state", "id"], name="destruction_row_state"
                            ),
                            models.Index(fields=["case"], name="destruction_row_case"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("destruction", "case"), name="destruction_row_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Digest",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("day", models.DateField()),
                        ("until", models.DateTimeField()),
                        ("subject", models.CharField(max_length=200)),
                        ("text", models.TextField()),
                        ("claimed_at", models.DateTimeField()),
                        ("sent_at", models.DateTimeField(null=True)),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="digests",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("sent_at__isnull", True)),
                                fields=["claimed_at"],
                                name="digest_unsent",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("person", "day"), name="digest_once_a_day"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Document",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=80)),
                        ("version", models.IntegerField()),
                        ("filename", models.CharField(max_length=255)),
                        ("media_type", models.CharField(max_length=120)),
                        ("size", models.BigIntegerField()),
                        ("digest", models.CharField(max_length=64)),
                        ("state", models.CharField(default="received", max_length=12)),
                        ("reason", models.TextField(default="")),
                        ("received_at", models.DateTimeField()),
                        ("received_from", models.CharField(max_length=80)),
                        ("judged_at", models.DateTimeField(null=True)),
                        ("judged_by", models.CharField(default="", max_length=80)),
                        ("remarks", cases.fields.DataField(default=list)),
                        ("pages", models.IntegerField(null=True)),
                        ("dated_date", models.DateField(null=True)),
                        ("valid_until_date", models.DateField(null=True)),
                        ("lost_at", models.DateTimeField(null=True)),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="documents",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["digest"], name="document_digest"),
                            models.Index(
                                condition=models.Q(
                                    ("state", "accepted"), ("valid_until_date__isnull", False)
                                ),
                                fields=["valid_until_date"],
                                name="document_valid_until",
                            ),
                            models.Index(
                                condition=models.Q(("lost_at__isnull", False)),
                                fields=["lost_at"],
                                name="document_lost",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("case", "name", "version"), name="document_version"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Draft",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("address", models.CharField(max_length=300)),
                        ("data", models.JSONField(default=dict)),
                        ("saved_at", models.DateTimeField()),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["saved_at"], name="draft_saved_at")],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("person", "address"), name="draft_once_per_form"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Erasure",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.CharField(max_length=40, unique=True)),
                        ("erased_at", models.DateTimeField()),
                        ("ground", models.CharField(max_length=8)),
                        ("basis", models.TextField()),
                        ("kept_until_date", models.DateField(null=True)),
                        ("first_by", models.CharField(max_length=80)),
                        ("second_by", models.CharField(max_length=80)),
                        ("event_number", models.IntegerField()),
                        ("events", models.IntegerField()),
                        ("key_destroyed", models.BooleanField(default=False)),
                        ("counts", cases.fields.DataField(default=dict)),
                        ("digests", cases.fields.DataField(default=list)),
                        ("files_gone_at", models.DateTimeField(null=True)),
                        ("files", cases.fields.DataField(default=dict)),
                        ("paths", cases.fields.DataField(default=list)),
                        (
                            "case",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="erasure",
                                to="cases.case",
                            ),
                        ),
                        (
                            "destruction",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="cases.destruction",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("files_gone_at__isnull", True)),
                                fields=["id"],
                                name="erasure_files_left",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Export",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("scopes", cases.fields.DataField(null=True)),
                        ("on_behalf", models.CharField(blank=True, default="", max_length=80)),
                        ("form", models.CharField(max_length=20)),
                        ("options", cases.fields.DataField(default=dict)),
                        ("what", models.CharField(max_length=12)),
                        ("told", models.CharField(blank=True, default="", max_length=400)),
                        ("reason", models.CharField(max_length=500)),
                        ("language", models.CharField(blank=True, default="", max_length=10)),
                        ("made_at", models.DateTimeField()),
                        ("begun_at", models.DateTimeField(null=True)),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        ("failed", models.TextField(blank=True, default="")),
                        ("cancelled_by", models.CharField(blank=True, default="", max_length=80)),
                        ("count", models.IntegerField()),
                        ("path", models.CharField(blank=True, default="", max_length=200)),
                        ("filename", models.CharField(blank=True, default="", max_length=200)),
                        ("size", models.BigIntegerField(null=True)),
                        ("digest", models.CharField(blank=True, default="", max_length=64)),
                        ("events", models.BigIntegerField(null=True)),
                        ("variants", models.IntegerField(null=True)),
                        ("expires_at", models.DateTimeField(null=True)),
                        ("removed_at", models.DateTimeField(null=True)),
                        ("removed_by", models.CharField(blank=True, default="", max_length=80)),
                        (
                            "client",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.client",
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "token",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="cases.token",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=["made_at"],
                                name="export_under_way",
                            ),
                            models.Index(
                                condition=models.Q(
                                    ("removed_at__isnull", True),
                                    models.Q(("path", ""), _negated=True),
                                ),
                                fields=["expires_at"],
                                name="export_with_a_file",
                            ),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("client__isnull", True),
                                    ("person__isnull", True),
                                    _connector="XOR",
                                ),
                                name="export_of_a_client_or_a_person",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ExportCase",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("place", models.IntegerField()),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                        (
                            "export",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="cases",
                                to="cases.export",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("export", "place"), name="export_place")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ExportPart",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("first", models.IntegerField()),
                        ("last", models.IntegerField()),
                        ("path", models.CharField(max_length=200)),
                        (
                            "export",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="parts",
                                to="cases.export",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("export", "first"), name="export_part_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Hold",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("of_person", models.BooleanField(default=False)),
                        ("batch", models.UUIDField()),
                        ("reason", models.TextField()),
                        ("number", models.IntegerField()),
                        ("placed_at", models.DateTimeField()),
                        ("placed_by", models.CharField(max_length=80)),
                        ("lifted_at", models.DateTimeField(null=True)),
                        ("lifted_by", models.CharField(blank=True, default="", max_length=80)),
                        ("lifted_why", models.TextField(blank=True, default="")),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="holds",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("lifted_at__isnull", True)),
                                fields=["case"],
                                name="hold_stands",
                            ),
                            models.Index(fields=["batch"], name="hold_batch"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Identity",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("issuer", models.CharField(max_length=300)),
                        ("subject", models.CharField(max_length=255)),
                        ("linked_at", models.DateTimeField()),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="identities",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "identities",
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("issuer", "subject"), name="identity_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Job",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("scopes", cases.fields.DataField(null=True)),
                        ("on_behalf", models.CharField(blank=True, default="", max_length=80)),
                        ("kind", models.CharField(blank=True, default="", max_length=40)),
                        ("filename", models.CharField(max_length=200)),
                        ("digest", models.CharField(max_length=64)),
                        ("size", models.IntegerField()),
                        ("made_at", models.DateTimeField()),
                        ("begun_at", models.DateTimeField(null=True)),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("cancelled_by", models.CharField(blank=True, default="", max_length=80)),
                        ("lease_until", models.DateTimeField(null=True)),
                        (
                            "client",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.client",
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "token",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="cases.token",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=["made_at"],
                                name="job_under_way",
                            ),
                            models.Index(fields=["digest"], name="job_of_a_file"),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("client__isnull", True),
                                    ("person__isnull", True),
                                    _connector="XOR",
                                ),
                                name="job_of_a_client_or_a_person",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="JobRow",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("place", models.IntegerField()),
                        ("line", models.IntegerField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("opened", "Opened"),
                                    ("known", "Known"),
                                    ("refused", "Refused"),
                                    ("cancelled", "Cancelled"),
                                ],
                                default="waiting",
                                max_length=9,
                            ),
                        ),
                        (
                            "external_reference",
                            models.CharField(blank=True, default="", max_length=200),
                        ),
                        ("data", cases.fields.DataField(default=dict)),
                        ("refusal", cases.fields.DataField(default=dict)),
                        (
                            "case",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                        (
                            "job",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="rows",
                                to="cases.job",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["job", "state", "place"], name="job_row_state")
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("job", "place"), name="job_row_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="KeptAnswer",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("caller", models.CharField(max_length=80)),
                        ("key", models.CharField(max_length=200)),
                        ("digest", models.CharField(max_length=64)),
                        ("status", models.IntegerField(default=0)),
                        ("headers", models.JSONField(default=dict)),
                        ("body", models.BinaryField(default=bytes)),
                        ("at", models.DateTimeField()),
                    ],
                    options={
                        "indexes": [models.Index(fields=["at"], name="kept_answer_at")],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("caller", "key"), name="kept_answer_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Letter",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("key", models.CharField(max_length=120, unique=True)),
                        ("template", models.CharField(max_length=80)),
                        ("party", models.CharField(blank=True, default="", max_length=80)),
                        ("to_name", models.CharField(max_length=200)),
                        ("to_email", models.EmailField(blank=True, default="", max_length=254)),
                        ("subject", models.CharField(max_length=200)),
                        ("text", models.TextField()),
                        ("written_at", models.DateTimeField()),
                        ("written_by", models.CharField(blank=True, default="", max_length=80)),
                        ("state", models.CharField(default="due", max_length=12)),
                        ("why_not", models.TextField(blank=True, default="")),
                        ("tries", models.IntegerField(default=0)),
                        ("tried_at", models.DateTimeField(null=True)),
                        ("sent_at", models.DateTimeField(null=True)),
                        ("sent_by", models.CharField(blank=True, default="", max_length=80)),
                        (
                            "case",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="letters",
                                to="cases.case",
                            ),
                        ),
                        (
                            "version",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="cases.templateversion",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(
                                    ("state__in", ["due", "to_post", "undelivered"])
                                ),
                                fields=["state", "written_at"],
                                name="letter_not_sent",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LetterTemplate",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.SlugField(max_length=60)),
                        ("kind", models.CharField(blank=True, default="", max_length=40)),
                        ("language", models.CharField(max_length=10)),
                        ("title", models.CharField(max_length=120)),
                        ("is_active", models.BooleanField(default=True)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("name", "kind", "language"), name="letter_template_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Message",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("source", models.CharField(max_length=80)),
                        ("key", models.CharField(max_length=200)),
                        ("name", models.CharField(max_length=80)),
                        ("to", models.CharField(max_length=200)),
                        ("data", cases.fields.DataField(default=dict)),
                        ("digest", models.CharField(max_length=64)),
                        ("actor", models.CharField(max_length=80)),
                        ("on_behalf", models.CharField(default="", max_length=80)),
                        ("state", models.CharField(default="new", max_length=12)),
                        ("case_id", models.BigIntegerField(null=True)),
                        ("why", models.TextField(default="")),
                        ("received_at", models.DateTimeField()),
                        ("settled_at", models.DateTimeField(null=True)),
                        (
                            "settled_by",
                            models.CharField(blank=True, db_default="", default="", max_length=80),
                        ),
                        ("settled_why", models.TextField(blank=True, db_default="", default="")),
                        (
                            "answer",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="cases.letter",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state", "new")),
                                fields=["id"],
                                name="message_new",
                            ),
                            models.Index(
                                condition=models.Q(("state", "kept")),
                                fields=["case_id", "name"],
                                name="message_kept",
                            ),
                            models.Index(
                                condition=models.Q(("state__in", ["late", "unmatched"])),
                                fields=["state", "received_at"],
                                name="message_tray",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("source", "key"), name="message_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MutedKind",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("kind", models.CharField(max_length=20)),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="muted_kinds",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("person", "kind"), name="notice_kind_muted_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Note",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.IntegerField()),
                        ("text", models.TextField()),
                        ("written_at", models.DateTimeField()),
                        (
                            "author",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="notes",
                                to="cases.case",
                            ),
                        ),
                        (
                            "strikes",
                            models.OneToOneField(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="struck_by",
                                to="cases.note",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="Notice",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("role", models.CharField(default="", max_length=80)),
                        ("kind", models.CharField(default="other", max_length=20)),
                        ("cause", models.CharField(blank=True, default="", max_length=80)),
                        ("text", models.CharField(max_length=300)),
                        ("written_at", models.DateTimeField()),
                        ("seen_at", models.DateTimeField(null=True)),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="notices",
                                to="cases.case",
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("seen_at__isnull", True)),
                                fields=["role"],
                                name="notice_unseen",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="NoticeRead",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("read_at", models.DateTimeField()),
                        (
                            "notice",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="reads",
                                to="cases.notice",
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("notice", "person"), name="notice_read_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Once",
                    fields=[
                        ("key", models.UUIDField(primary_key=True, serialize=False)),
                        ("digest", models.CharField(max_length=64)),
                        ("answer", models.CharField(max_length=300)),
                        ("said", models.CharField(blank=True, default="", max_length=500)),
                        ("undo", models.CharField(blank=True, default="", max_length=300)),
                        ("results", models.JSONField(default=list)),
                        ("at", models.DateTimeField()),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["at"], name="once_at")],
                    },
                ),
                migrations.CreateModel(
                    name="Opening",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.IntegerField()),
                        ("purpose", models.CharField(max_length=20)),
                        ("opened_at", models.DateTimeField()),
                        ("until", models.DateTimeField()),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="openings",
                                to="cases.case",
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["person", "until"], name="opening_of_person")
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("case", "number"), name="opening_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PageEntry",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("secret_digest", models.CharField(max_length=64, unique=True)),
                        ("code_digest", models.CharField(blank=True, default="", max_length=64)),
                        ("code_until", models.DateTimeField()),
                        ("tries", models.PositiveSmallIntegerField(default=0)),
                        ("asked_at", models.DateTimeField()),
                        ("entered_at", models.DateTimeField(null=True)),
                        ("last_at", models.DateTimeField(null=True)),
                        ("ended_at", models.DateTimeField(null=True)),
                        (
                            "page",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="entries",
                                to="cases.customerpage",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["page", "asked_at"], name="page_entry_asked")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Presence",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("address", models.CharField(max_length=300)),
                        ("since", models.DateTimeField()),
                        ("seen_at", models.DateTimeField()),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["address", "seen_at"], name="presence_address"),
                            models.Index(fields=["seen_at"], name="presence_seen"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("person", "address"), name="presence_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Relation",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("reason", models.TextField()),
                        ("number", models.IntegerField()),
                        ("related_at", models.DateTimeField()),
                        ("related_by", models.CharField(max_length=80)),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="relations",
                                to="cases.case",
                            ),
                        ),
                        (
                            "other",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("case", "other"), name="relation_once"),
                            models.CheckConstraint(
                                condition=models.Q(("case", models.F("other")), _negated=True),
                                name="relation_to_another",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Reminder",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.IntegerField()),
                        ("due_at", models.DateTimeField()),
                        ("text", models.CharField(blank=True, default="", max_length=200)),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="reminders",
                                to="cases.case",
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("case", "person"), name="reminder_once_per_person"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Requirement",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=80)),
                        ("title", models.CharField(max_length=200)),
                        ("asked_of", models.CharField(default="applicant", max_length=80)),
                        ("asked_at", models.DateTimeField()),
                        ("reminded_at", models.DateTimeField(null=True)),
                        ("reminders", models.IntegerField(default=0)),
                        ("state", models.CharField(default="asked", max_length=12)),
                        ("reason", models.TextField(default="")),
                        ("is_open", models.BooleanField(default=True)),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="requirements",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("case", "name"), name="requirement_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RetentionRule",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("kind", models.CharField(max_length=40)),
                        ("ending", models.CharField(blank=True, default="", max_length=60)),
                        ("months", models.PositiveIntegerField()),
                        ("since", models.CharField(max_length=60)),
                        ("basis", models.TextField()),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("kind", "ending"), name="retention_rule_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SavedList",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        ("page", models.CharField(max_length=8)),
                        ("query", models.CharField(blank=True, default="", max_length=1000)),
                        ("saved_at", models.DateTimeField()),
                        (
                            "owner",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "team",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="cases.team",
                            ),
                        ),
                    ],
                    options={
                        "ordering": [django.db.models.functions.text.Lower("name"), "pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                models.F("owner"),
                                django.db.models.functions.text.Lower("name"),
                                name="saved_list_name_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SearchWord",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("word", models.CharField(max_length=24)),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["word"], name="search_word"),
                            django.contrib.postgres.indexes.GinIndex(
                                fields=["word"],
                                name="search_word_alike",
                                opclasses=["gin_trgm_ops"],
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Task",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("visit", models.IntegerField()),
                        ("command", models.IntegerField()),
                        ("name", models.CharField(max_length=80)),
                        ("title", models.CharField(max_length=200)),
                        ("is_review", models.BooleanField(default=True)),
                        ("role", models.CharField(max_length=80)),
                        ("outcomes", cases.fields.DataField(default=list)),
                        ("asks", cases.fields.DataField(default=list)),
                        ("show", cases.fields.DataField(default=dict)),
                        ("unlike", cases.fields.DataField(default=list)),
                        ("claimed_at", models.DateTimeField(null=True)),
                        ("opened_at", models.DateTimeField()),
                        ("opened_number", models.IntegerField()),
                        ("due_at", models.DateTimeField(null=True)),
                        ("overdue_at", models.DateTimeField(null=True)),
                        ("state", models.CharField(default="open", max_length=12)),
                        ("closed_at", models.DateTimeField(null=True)),
                        ("closed_by", models.CharField(default="", max_length=80)),
                        ("outcome", models.CharField(default="", max_length=80)),
                        ("reason", models.TextField(default="")),
                        ("result", cases.fields.DataField(default=dict)),
                        ("covers_number", models.IntegerField(null=True)),
                        (
                            "advises",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="advice",
                                to="cases.task",
                            ),
                        ),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tasks",
                                to="cases.case",
                            ),
                        ),
                        (
                            "holder",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="held_tasks",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "team",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="cases.team",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state", "open")),
                                fields=["role", "due_at"],
                                name="task_open_role",
                            ),
                            models.Index(
                                condition=models.Q(("state", "open")),
                                fields=["holder", "due_at"],
                                name="task_open_holder",
                            ),
                            models.Index(
                                condition=models.Q(("state", "open")),
                                fields=["case"],
                                include=("role", "holder"),
                                name="task_open_case",
                            ),
                            models.Index(
                                condition=models.Q(("holder__isnull", True), ("state", "open")),
                                fields=["role", "due_at", "id"],
                                name="task_offered",
                            ),
                            models.Index(
                                condition=models.Q(("closed_by", ""), _negated=True),
                                fields=["closed_by", "closed_at"],
                                name="task_closed_by",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("case", "visit", "command"), name="task_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BulkRow",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("place", models.IntegerField()),
                        ("seen_number", models.IntegerField(default=0)),
                        ("result", models.CharField(blank=True, default="", max_length=8)),
                        ("sentence", models.TextField(blank=True, default="")),
                        (
                            "act",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="rows",
                                to="cases.bulkact",
                            ),
                        ),
                        (
                            "case",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                        (
                            "task",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.task",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("act", "place"), name="bulk_row_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StepDay",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("day", models.DateField()),
                        ("kind", models.CharField(max_length=40)),
                        ("step", models.CharField(max_length=60)),
                        ("took_days", models.IntegerField()),
                        ("visits", models.IntegerField()),
                        (
                            "team",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="cases.team",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("team", "day", "kind", "step", "took_days"),
                                name="step_day_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AccountChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("at", models.DateTimeField()),
                        ("by", models.CharField(max_length=80)),
                        ("what", models.CharField(max_length=40)),
                        ("data", cases.fields.DataField(default=dict)),
                        ("why", models.TextField(blank=True, default="")),
                        (
                            "person",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="changes",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "team",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="changes",
                                to="cases.team",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="TeamDay",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("day", models.DateField()),
                        ("in_hand", models.IntegerField(default=0)),
                        ("waiting", models.IntegerField(default=0)),
                        ("in_review", models.IntegerField(default=0)),
                        ("past_limit", models.IntegerField(default=0)),
                        (
                            "team",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="days",
                                to="cases.team",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("team", "day"), name="team_day_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TemplateVersion",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("version", models.IntegerField()),
                        ("subject", models.CharField(max_length=200)),
                        ("text", models.TextField()),
                        ("written_at", models.DateTimeField()),
                        (
                            "template",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="versions",
                                to="cases.lettertemplate",
                            ),
                        ),
                        (
                            "written_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("template", "version"), name="letter_template_version_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Token",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("title", models.CharField(blank=True, default="", max_length=120)),
                        ("start", models.CharField(max_length=12)),
                        ("digest", models.CharField(max_length=64, unique=True)),
                        ("scopes", cases.fields.DataField(default=list)),
                        ("is_secret", models.BooleanField(default=False)),
                        ("made_at", models.DateTimeField()),
                        ("made_by", models.CharField(max_length=80)),
                        ("ends_at", models.DateTimeField(null=True)),
                        ("revoked_at", models.DateTimeField(null=True)),
                        ("revoked_by", models.CharField(blank=True, default="", max_length=80)),
                        ("used_at", models.DateTimeField(null=True)),
                        (
                            "bought_with",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="bought",
                                to="cases.token",
                            ),
                        ),
                        (
                            "client",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tokens",
                                to="cases.client",
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tokens",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("client__isnull", True),
                                    ("person__isnull", True),
                                    _connector="XOR",
                                ),
                                name="token_of_a_client_or_a_person",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Upload",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("key", models.UUIDField(unique=True)),
                        ("caller", models.CharField(max_length=80)),
                        ("name", models.CharField(max_length=80)),
                        ("filename", models.CharField(max_length=200)),
                        ("size", models.BigIntegerField()),
                        ("offset", models.BigIntegerField(default=0)),
                        ("made_at", models.DateTimeField()),
                        ("ends_at", models.DateTimeField()),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                        (
                            "document",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="cases.document",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["ends_at"], name="upload_ends_at")],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("offset__lte", models.F("size"))),
                                name="upload_within_its_size",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="UploadPart",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("start", models.BigIntegerField()),
                        ("path", models.CharField(max_length=200)),
                        (
                            "upload",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="parts",
                                to="cases.upload",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("upload", "start"), name="upload_part_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Absence",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("from_date", models.DateField()),
                        ("until_date", models.DateField()),
                        ("reason", models.CharField(blank=True, default="", max_length=200)),
                        ("entered_at", models.DateTimeField()),
                        ("entered_by", models.CharField(max_length=80)),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="absences",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "substitute",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["from_date", "pk"],
                        "indexes": [
                            models.Index(fields=["person", "until_date"], name="absence_of_person"),
                            models.Index(
                                fields=["substitute", "until_date"], name="absence_of_substitute"
                            ),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("until_date__gte", models.F("from_date"))),
                                name="absence_ends_after_it_begins",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("substitute__isnull", True),
                                    models.Q(("substitute", models.F("person")), _negated=True),
                                    _connector="OR",
                                ),
                                name="absence_substitute_is_another",
                            ),
                        ],
                    },
                ),
            ],
        ),
    ]

import django.contrib.postgres.indexes
from django.db import migrations, models

import audit.models

# Plain triggers, not ENABLE ALWAYS: a superuser who restores a dump or clears a test database
# sets session_replication_role to replica. In production the application's role is no superuser
# and has no right to update, delete or truncate here (docs); who owns the table can still drop
# the triggers, which is what the hash chain is for.
APPEND_ONLY = """
CREATE FUNCTION audit_event_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'restrict_violation',
        MESSAGE = format('%s of %s refused: the history of a case is append-only.',
                         TG_OP, TG_TABLE_NAME),
        HINT = 'Record a further event that corrects the earlier one.';
END
$$;

CREATE TRIGGER audit_event_no_change BEFORE UPDATE OR DELETE ON audit_event
    FOR EACH ROW EXECUTE FUNCTION audit_event_is_append_only();

CREATE TRIGGER audit_event_no_truncate BEFORE TRUNCATE ON audit_event
    FOR EACH STATEMENT EXECUTE FUNCTION audit_event_is_append_only();
"""

NO_LONGER = """
DROP TRIGGER audit_event_no_truncate ON audit_event;
DROP TRIGGER audit_event_no_change ON audit_event;
DROP FUNCTION audit_event_is_append_only();
"""


class Migration(migrations.Migration):
    initial = True

    operations = [
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "case_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("case_id", models.BigIntegerField(verbose_name="case")),
                ("number", models.IntegerField(verbose_name="number")),
                ("type", models.TextField(verbose_name="type")),
                ("data", audit.models.EncodedDataField(verbose_name="data")),
                ("actor", models.TextField(verbose_name="actor")),
                (
                    "on_behalf",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="on behalf of"
                    ),
                ),
                ("happened_at", models.DateTimeField(verbose_name="happened")),
                ("recorded_at", models.DateTimeField(verbose_name="recorded")),
                ("hash", models.BinaryField(max_length=32, verbose_name="hash")),
            ],
            options={
                "verbose_name": "event",
                "verbose_name_plural": "events",
                "db_table": "audit_event",
                "ordering": ["case_id", "number"],
                "indexes": [
                    django.contrib.postgres.indexes.BrinIndex(
                        fields=["recorded_at"], name="audit_event_recorded_at"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="audit_event_number_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("actor", ""), _negated=True),
                            models.Q(("type", ""), _negated=True),
                        ),
                        name="audit_event_somebody_did_something",
                    ),
                ],
            },
        ),
        migrations.RunSQL(sql=APPEND_ONLY, reverse_sql=NO_LONGER),
    ]

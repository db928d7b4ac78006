import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models

# A key may be wrapped anew, its person be corrected, and it may be destroyed. Nothing else, and
# nothing after that. Plain triggers for the reason that 0001 gives.
KEPT = """
CREATE FUNCTION audit_casekey_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.destroyed_at IS NULL AND NEW.case_id = OLD.case_id AND NEW.made_at = OLD.made_at
           AND NOT (OLD.case_id = 0 AND NEW.wrapped IS NULL) THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = 'restrict_violation',
        MESSAGE = format('%s of %s refused: the key of a case is only wrapped anew or destroyed, '
                         'and a destroyed one never comes back.', TG_OP, TG_TABLE_NAME),
        HINT = 'Destroy keys through audit.keys.destroy().';
END
$$;

CREATE TRIGGER audit_casekey_no_change BEFORE UPDATE OR DELETE ON audit_casekey
    FOR EACH ROW EXECUTE FUNCTION audit_casekey_is_kept();

CREATE TRIGGER audit_casekey_no_truncate BEFORE TRUNCATE ON audit_casekey
    FOR EACH STATEMENT EXECUTE FUNCTION audit_casekey_is_kept();
"""

NO_LONGER = """
DROP TRIGGER audit_casekey_no_truncate ON audit_casekey;
DROP TRIGGER audit_casekey_no_change ON audit_casekey;
DROP FUNCTION audit_casekey_is_kept();
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_feed")]

    operations = [
        migrations.CreateModel(
            name="CaseKey",
            fields=[
                ("case_id", models.BigIntegerField(primary_key=True, serialize=False)),
                (
                    "persons",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BinaryField(),
                        size=None,
                        verbose_name="marks of the person",
                    ),
                ),
                ("master", models.TextField(blank=True, verbose_name="master key")),
                ("wrapped", models.BinaryField(null=True, verbose_name="wrapped key")),
                ("made_at", models.DateTimeField(verbose_name="made")),
                ("destroyed_at", models.DateTimeField(null=True, verbose_name="destroyed")),
            ],
            options={
                "verbose_name": "key of a case",
                "verbose_name_plural": "keys of cases",
                "db_table": "audit_casekey",
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["persons"], name="audit_casekey_persons"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("destroyed_at__isnull", False), ("wrapped__isnull", True)
                        )
                        | models.Q(("destroyed_at__isnull", True), ("wrapped__isnull", False)),
                        name="audit_casekey_is_kept_or_destroyed",
                    )
                ],
            },
        ),
        migrations.RunSQL(sql=KEPT, reverse_sql=NO_LONGER),
    ]

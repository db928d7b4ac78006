from django.db import migrations

APPEND_ONLY = """
CREATE FUNCTION cases_accountchange_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'restrict_violation',
        MESSAGE = format('%s of %s refused: the record of changes of accounts is append-only.',
                         TG_OP, TG_TABLE_NAME),
        HINT = 'Make a further change that corrects the earlier one.';
END
$$;

CREATE TRIGGER cases_accountchange_no_change BEFORE UPDATE OR DELETE ON cases_accountchange
    FOR EACH ROW EXECUTE FUNCTION cases_accountchange_is_append_only();

CREATE TRIGGER cases_accountchange_no_truncate BEFORE TRUNCATE ON cases_accountchange
    FOR EACH STATEMENT EXECUTE FUNCTION cases_accountchange_is_append_only();
"""

NO_LONGER = """
DROP TRIGGER cases_accountchange_no_truncate ON cases_accountchange;
DROP TRIGGER cases_accountchange_no_change ON cases_accountchange;
DROP FUNCTION cases_accountchange_is_append_only();
"""


class Migration(migrations.Migration):
    replaces = [("cases", "0023_openings")]

    dependencies = [("cases", "0001_tables")]

    operations = [migrations.RunSQL(sql=APPEND_ONLY, reverse_sql=NO_LONGER)]

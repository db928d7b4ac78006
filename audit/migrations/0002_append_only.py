from django.db import migrations

# Plain triggers, not ENABLE ALWAYS: a superuser who restores a dump or clears a test database
# sets session_replication_role to replica. In production the application's role is no superuser
# and has no right to update, delete or truncate here (docs); who owns the table can still drop
# the triggers, which is what the hash chain is for.
EVENTS = """
CREATE FUNCTION audit_event_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'restrict_violation',
        MESSAGE = format('%s of %s refused: the history of a case is append-only.',
                         TG_OP, TG_TABLE_NAME),
        HINT = 'Record a further event that corrects the earlier one.';
END
$$;
"""

# A key may be wrapped anew, its person be corrected, and it may be destroyed. Nothing else, and
# nothing after that.
KEYS = """
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
"""

READS = """
CREATE FUNCTION audit_read_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (
        SELECT 1 FROM audit_read_seal
         WHERE kind = 'dropped' AND month = date_trunc('month', OLD.at AT TIME ZONE 'UTC')::date
    ) THEN
        RETURN OLD;  -- its month was given up, and a seal says by whom
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = 'restrict_violation',
        MESSAGE = format('%s of %s refused: the read log is append-only.', TG_OP, TG_TABLE_NAME),
        HINT = 'Whole months that had their time are given up with manage.py readlog drop.';
END
$$;
"""

KEEPERS = {
    "audit_event": "audit_event_is_append_only",
    "audit_feed": "audit_event_is_append_only",
    "audit_anchor": "audit_event_is_append_only",
    "audit_anchored_head": "audit_event_is_append_only",
    "audit_anchored_page": "audit_event_is_append_only",
    "audit_casekey": "audit_casekey_is_kept",
    "audit_read": "audit_read_is_append_only",
    "audit_read_seal": "audit_event_is_append_only",
}
TRIGGERS = "".join(
    f"""
CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION {keeper}();
CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {keeper}();
"""
    for table, keeper in KEEPERS.items()
)

NO_LONGER = "".join(
    f"DROP TRIGGER {table}_no_truncate ON {table}; DROP TRIGGER {table}_no_change ON {table};"
    for table in KEEPERS
) + "".join(f"DROP FUNCTION {keeper}();" for keeper in sorted(set(KEEPERS.values())))


class Migration(migrations.Migration):
    replaces = [("audit", "0005_read_log")]

    dependencies = [("audit", "0001_tables")]

    operations = [migrations.RunSQL(sql=EVENTS + KEYS + READS + TRIGGERS, reverse_sql=NO_LONGER)]

from django.db import migrations, models

# What was written before has its place by the time at which it was recorded: within a case that
# never runs back, and the events of one commit share it.
BEFORE = """
INSERT INTO audit_feed (position, case_id, first, last)
SELECT row_number() OVER (ORDER BY recorded_at, case_id), case_id, min(number), max(number)
  FROM audit_event GROUP BY recorded_at, case_id;
"""
APPEND_ONLY = """
CREATE TRIGGER audit_feed_no_change BEFORE UPDATE OR DELETE ON audit_feed
    FOR EACH ROW EXECUTE FUNCTION audit_event_is_append_only();
CREATE TRIGGER audit_feed_no_truncate BEFORE TRUNCATE ON audit_feed
    FOR EACH STATEMENT EXECUTE FUNCTION audit_event_is_append_only();
"""
NO_LONGER = """
DROP TRIGGER audit_feed_no_truncate ON audit_feed;
DROP TRIGGER audit_feed_no_change ON audit_feed;
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_append_only_events")]

    operations = [
        migrations.CreateModel(
            name="FeedRow",
            fields=[
                ("position", models.BigIntegerField(primary_key=True, serialize=False)),
                ("case_id", models.BigIntegerField()),
                ("first", models.IntegerField()),
                ("last", models.IntegerField()),
            ],
            options={"db_table": "audit_feed"},
        ),
        migrations.CreateModel(
            name="Unnumbered",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("case_id", models.BigIntegerField()),
                ("first", models.IntegerField()),
                ("last", models.IntegerField()),
            ],
            options={"db_table": "audit_unnumbered"},
        ),
        migrations.RunSQL(sql=BEFORE, reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=APPEND_ONLY, reverse_sql=NO_LONGER),
    ]

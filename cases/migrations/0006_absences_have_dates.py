from django.db import migrations

# Since when somebody is away was not kept: from the day of the move on. Whoever is back is left.
MOVE = """
INSERT INTO cases_absence (person_id, from_date, until_date, reason, entered_at, entered_by)
SELECT id, current_date, absent_until_date, '', now(), 'engine'
FROM cases_person WHERE absent_until_date >= current_date;
SET CONSTRAINTS ALL IMMEDIATE;
"""

MOVE_BACK = """
UPDATE cases_person AS p SET absent_until_date = a.until_date FROM cases_absence AS a
WHERE a.person_id = p.id AND a.from_date <= current_date AND a.until_date >= current_date;
SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):
    dependencies = [("cases", "0005_absences")]

    operations = [
        migrations.RunSQL(sql=MOVE, reverse_sql=MOVE_BACK),
        migrations.RemoveField(model_name="person", name="absent_until_date"),
    ]

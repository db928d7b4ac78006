from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("cases", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Once",
            fields=[
                ("key", models.UUIDField(primary_key=True, serialize=False)),
                ("digest", models.CharField(max_length=64)),
                ("answer", models.CharField(max_length=300)),
                ("said", models.CharField(blank=True, default="", max_length=500)),
                ("results", models.JSONField(default=list)),
                ("at", models.DateTimeField()),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["at"], name="once_at")]},
        ),
    ]

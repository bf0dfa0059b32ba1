"""The index of search by words, on PostgreSQL. See docs/inbox.md, "Search"."""

import logging

from django.db import DatabaseError, migrations, transaction

logger = logging.getLogger(__name__)
INDEX = "message_words"


def add_index(apps, schema_editor):
    connection = schema_editor.connection
    if connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            # A trusted extension: whoever may create in the database may create it.
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except DatabaseError as error:
        logger.warning(
            "pg_trgm could not be created (%s): search by words works, and reads every message of an inbox. Let "
            "a superuser run CREATE EXTENSION pg_trgm, then: "
            "CREATE INDEX %s ON messaging_message USING gin (words gin_trgm_ops)", error, INDEX,
        )
        return
    schema_editor.execute(f"CREATE INDEX IF NOT EXISTS {INDEX} ON messaging_message USING gin (words gin_trgm_ops)")


def remove_index(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP INDEX IF EXISTS {INDEX}")


class Migration(migrations.Migration):

    dependencies = [
        ('messaging', '0003_audit'),
    ]

    operations = [
        migrations.RunPython(add_index, remove_index),
    ]

"""The index of the requests that are open in an inbox. See docs/inbox.md, "Metrics"."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('messaging', '0007_filed_tasks'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('closed_at__isnull', True), ('open_receipts__gt', 0), ('type', 'request')), fields=['inbox', 'created_at'], name='message_open_request'),
        ),
    ]

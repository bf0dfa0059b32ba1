from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0002_tasks'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='task',
            index=models.Index(fields=['board', '-updated_at', '-id'], name='task_by_change'),
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(fields=['board', '-rank', '-id'], name='task_by_rank'),
        ),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0005_tallies'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='task',
            index=models.Index(condition=models.Q(('status__in', ['errored', 'cancelled'])), fields=['status', '-id'], name='task_fallen'),
        ),
    ]

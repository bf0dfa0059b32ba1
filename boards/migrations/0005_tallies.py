import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0004_retries'),
    ]

    operations = [
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('board', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='tally', serialize=False, to='boards.board')),
                ('completed', models.BigIntegerField(default=0)),
                ('errored', models.BigIntegerField(default=0)),
                ('cancelled', models.BigIntegerField(default=0)),
                ('until', models.DateTimeField(db_index=True)),
            ],
            options={
                'verbose_name_plural': 'tallies',
            },
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(condition=models.Q(('completed_at__isnull', False)), fields=['board', 'status', 'completed_at'], name='task_ended'),
        ),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0006_status_of_every_board'),
    ]

    operations = [
        migrations.AddField(
            model_name='task',
            name='origin_key',
            field=models.CharField(max_length=200, null=True),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.UniqueConstraint(condition=models.Q(('origin_key__isnull', False)), fields=('board', 'origin_key'), name='one_task_per_origin'),
        ),
    ]

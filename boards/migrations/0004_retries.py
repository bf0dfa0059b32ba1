from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0003_orders_of_lists'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='task',
            index=models.Index(condition=models.Q(('retry_of', ''), _negated=True), fields=['board', 'retry_of'], name='task_by_retried'),
        ),
    ]

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0008_task_chain'),
        ('workforce', '0003_seat_forked_team'),
    ]

    operations = [
        migrations.AddField(
            model_name='board',
            name='session',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='board', to='workforce.session'),
        ),
        migrations.AddField(
            model_name='task',
            name='follow_up_of',
            field=models.CharField(blank=True, max_length=64),
        ),
    ]

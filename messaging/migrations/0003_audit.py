
import django.db.models.deletion
import workforce.clock
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('messaging', '0002_messages'),
        ('workforce', '0002_index_requests'),
    ]

    operations = [
        migrations.CreateModel(
            name='CredentialIncident',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('prefix', models.CharField(blank=True, max_length=16)),
                ('reason', models.CharField(max_length=32)),
                ('minute', models.DateTimeField()),
                ('count', models.BigIntegerField(default=0)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workforce.actor')),
                ('organization', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workforce.organization')),
            ],
            options={
                'indexes': [models.Index(fields=['organization', '-id'], name='incident_newest')],
                'constraints': [models.UniqueConstraint(fields=('prefix', 'reason', 'minute'), name='one_incident_per_minute')],
            },
        ),
        migrations.CreateModel(
            name='InboxEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('sent', 'sent'), ('delivered', 'delivered'), ('acknowledged', 'acknowledged'), ('completed', 'completed'), ('archived', 'archived'), ('closed', 'closed by its sender'), ('rejected', 'rejected'), ('handed-over', 'handed over'), ('key-issued', 'key issued'), ('key-revoked', 'key revoked'), ('frozen', 'frozen'), ('unfrozen', 'unfrozen'), ('joined', 'joined'), ('left', 'left')], max_length=16)),
                ('at', models.DateTimeField(default=workforce.clock.now)),
                ('passname', models.CharField(blank=True, max_length=64)),
                ('key_prefix', models.CharField(blank=True, max_length=16)),
                ('operator', models.CharField(blank=True, max_length=150)),
                ('from_state', models.CharField(blank=True, max_length=16)),
                ('to_state', models.CharField(blank=True, max_length=16)),
                ('code', models.CharField(blank=True, max_length=64)),
                ('actor', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='workforce.actor')),
                ('inbox', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='messaging.inbox')),
                ('message', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='messaging.message')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(fields=['inbox', '-id'], name='inbox_event_of_inbox'), models.Index(condition=models.Q(('message__isnull', False)), fields=['message', 'id'], name='inbox_event_of_message'), models.Index(fields=['inbox', 'kind', 'at'], name='inbox_event_by_kind')],
            },
        ),
    ]

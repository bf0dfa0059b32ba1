
import django.db.models.deletion
import workforce.clock
import workforce.models.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('workforce', '0002_index_requests'),
    ]

    operations = [
        migrations.CreateModel(
            name='Inbox',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=64)),
                ('duplicate_window', models.IntegerField(null=True)),
                ('message_seq', models.BigIntegerField(default=0)),
                ('schema_count', models.IntegerField(default=0)),
                ('duplicates', models.BigIntegerField(default=0)),
                ('retries', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=workforce.clock.now, editable=False)),
                ('organization', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='inboxes', to='workforce.organization')),
            ],
            options={
                'verbose_name_plural': 'inboxes',
            },
        ),
        migrations.CreateModel(
            name='Participation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('joined_at', models.DateTimeField(default=workforce.clock.now)),
                ('left_at', models.DateTimeField(null=True)),
                ('pending', models.BigIntegerField(default=0)),
                ('delivered', models.BigIntegerField(default=0)),
                ('newest_seq', models.BigIntegerField(default=0)),
                ('last_pulled_at', models.DateTimeField(null=True)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='workforce.actor')),
                ('inbox', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='messaging.inbox')),
            ],
        ),
        migrations.CreateModel(
            name='PayloadSchema',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('type', models.CharField(choices=[('request', 'request'), ('info', 'info'), ('message', 'message')], max_length=16)),
                ('topic', models.CharField(max_length=64)),
                ('schema', workforce.models.fields.JsonText()),
                ('created_at', models.DateTimeField(default=workforce.clock.now, editable=False)),
                ('updated_at', models.DateTimeField(default=workforce.clock.now)),
                ('inbox', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='schemas', to='messaging.inbox')),
            ],
        ),
        migrations.AddConstraint(
            model_name='inbox',
            constraint=models.UniqueConstraint(fields=('organization', 'slug'), name='one_inbox_per_slug'),
        ),
        migrations.AddConstraint(
            model_name='inbox',
            constraint=models.CheckConstraint(condition=models.Q(('duplicate_window__isnull', True), models.Q(('duplicate_window__gte', 0), ('duplicate_window__lte', 86400)), _connector='OR'), name='inbox_window_within_a_day'),
        ),
        migrations.AddConstraint(
            model_name='participation',
            constraint=models.UniqueConstraint(fields=('inbox', 'actor'), name='one_participation_per_actor'),
        ),
        migrations.AddConstraint(
            model_name='participation',
            constraint=models.CheckConstraint(condition=models.Q(('delivered__gte', 0), ('pending__gte', 0)), name='participation_counts_no_less_than_none'),
        ),
        migrations.AddConstraint(
            model_name='payloadschema',
            constraint=models.UniqueConstraint(fields=('inbox', 'type', 'topic'), name='one_schema_per_type_and_topic'),
        ),
    ]

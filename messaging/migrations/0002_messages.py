
import django.db.models.deletion
import messaging.inbox.receipts
import workforce.clock
import workforce.ids
import workforce.models.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('messaging', '0001_inboxes'),
        ('workforce', '0002_index_requests'),
    ]

    operations = [
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.UUIDField(default=workforce.ids.new_uuid, editable=False, primary_key=True, serialize=False)),
                ('seq', models.BigIntegerField()),
                ('type', models.CharField(choices=[('request', 'request'), ('info', 'info'), ('message', 'message')], max_length=16)),
                ('topic', models.CharField(max_length=64)),
                ('approval', models.BooleanField(default=False)),
                ('thread_id', models.UUIDField()),
                ('depth', models.IntegerField(default=0)),
                ('created_at', models.DateTimeField(default=workforce.clock.now)),
                ('closed_at', models.DateTimeField(null=True)),
                ('open_receipts', models.IntegerField(default=0)),
                ('recipient_count', models.IntegerField(default=0)),
                ('payload_size', models.IntegerField()),
                ('digest', models.CharField(blank=True, max_length=32)),
                ('removed_at', models.DateTimeField(null=True)),
                ('excerpt', models.CharField(blank=True, max_length=200)),
                ('payload', workforce.models.fields.JsonText(null=True)),
                ('words', models.TextField(blank=True)),
                ('inbox', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='messaging.inbox')),
                ('replying_to', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='replies', to='messaging.message')),
                ('sender', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.RESTRICT, related_name='sent_messages', to='workforce.actor')),
            ],
        ),
        migrations.CreateModel(
            name='Receipt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.BigIntegerField()),
                ('type', models.CharField(choices=[('request', 'request'), ('info', 'info'), ('message', 'message')], max_length=16)),
                ('topic', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('pending', 'pending'), ('delivered', 'delivered'), ('acknowledged', 'acknowledged'), ('completed', 'completed'), ('archived', 'archived')], default=messaging.inbox.receipts.State['PENDING'], max_length=16)),
                ('created_at', models.DateTimeField(default=workforce.clock.now)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('closed_at', models.DateTimeField(null=True)),
                ('note', models.TextField(blank=True)),
                ('handed_from', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='workforce.actor')),
                ('inbox', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='receipts', to='messaging.inbox')),
                ('message', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='receipts', to='messaging.message')),
                ('recipient', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.RESTRICT, related_name='receipts', to='workforce.actor')),
                ('reply', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='messaging.message')),
                ('sender', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='workforce.actor')),
            ],
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(fields=['inbox', 'topic', 'seq'], name='message_by_topic'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(fields=['inbox', 'sender', 'seq'], name='message_by_sender'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('closed_at__isnull', True), ('open_receipts__gt', 0)), fields=['inbox', 'sender', 'seq'], name='message_unsettled'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(fields=['inbox', 'created_at'], name='message_by_time'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(fields=['thread_id', 'seq'], name='message_of_thread'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('replying_to__isnull', False)), fields=['replying_to', 'seq'], name='message_replies'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('digest', ''), _negated=True), fields=['inbox', 'digest'], name='message_by_digest'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.UniqueConstraint(fields=('inbox', 'seq'), name='one_message_per_seq'),
        ),
        migrations.AddIndex(
            model_name='receipt',
            index=models.Index(condition=models.Q(('closed_at__isnull', True)), fields=['recipient', 'inbox', 'seq', 'type', 'topic', 'sender'], name='receipt_open'),
        ),
        migrations.AddIndex(
            model_name='receipt',
            index=models.Index(condition=models.Q(('closed_at__isnull', True)), fields=['inbox', 'seq', 'type'], name='receipt_owed'),
        ),
        migrations.AddIndex(
            model_name='receipt',
            index=models.Index(fields=['recipient', 'inbox', 'state', 'seq'], name='receipt_by_state'),
        ),
        migrations.AddConstraint(
            model_name='receipt',
            constraint=models.UniqueConstraint(fields=('message', 'recipient'), name='one_receipt_per_recipient'),
        ),
        migrations.AddConstraint(
            model_name='receipt',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('state__in', ['pending', 'delivered'])), models.Q(('closed_at__isnull', False), ('delivered_at__isnull', False), ('state__in', ['acknowledged', 'completed', 'archived'])), _connector='OR'), name='receipt_closed_with_its_state'),
        ),
        migrations.AddConstraint(
            model_name='receipt',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('delivered_at__isnull', True), ('state', 'pending')), models.Q(('delivered_at__isnull', False), models.Q(('state', 'pending'), _negated=True)), _connector='OR'), name='receipt_delivered_with_its_state'),
        ),
    ]

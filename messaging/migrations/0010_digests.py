"""Who gets digests. See docs/digests.md."""

import django.db.models.deletion
import workforce.clock
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('messaging', '0009_external_seats'),
        ('workforce', '0003_seat_forked_team'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DigestSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('channel', models.CharField(choices=[('email', 'e-mail'), ('telegram', 'Telegram')], max_length=16)),
                ('address', models.CharField(max_length=254)),
                ('cadence', models.CharField(choices=[('hourly', 'every hour'), ('daily', 'every day'), ('weekly', 'every week')], max_length=16)),
                ('created_at', models.DateTimeField(default=workforce.clock.now, editable=False)),
                ('covered_until', models.DateTimeField(default=workforce.clock.now)),
                ('next_at', models.DateTimeField()),
                ('sending_until', models.DateTimeField(null=True)),
                ('repeated', models.BooleanField(default=False)),
                ('last_sent_at', models.DateTimeField(null=True)),
                ('attempts', models.IntegerField(default=0)),
                ('error', models.CharField(blank=True, max_length=200)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workforce.actor')),
                ('organization', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workforce.organization')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['next_at'], name='digest_due')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('actor__isnull', True)), fields=('organization', 'user', 'channel'), name='one_digest_per_user_and_channel'), models.UniqueConstraint(condition=models.Q(('actor__isnull', False)), fields=('actor', 'channel'), name='one_digest_per_actor_and_channel')],
            },
        ),
    ]

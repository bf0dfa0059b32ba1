from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('boards', '0007_origin_key'),
    ]

    operations = [
        migrations.AddField(
            model_name='task',
            name='chain_uid',
            field=models.UUIDField(null=True),
        ),
    ]

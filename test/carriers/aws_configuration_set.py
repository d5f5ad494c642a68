"""
Runs inside the emulator, which has no configuration sets for SMS: they deploy, and the double of AWS publishes the events
in their place. The topic denies calls by http, which are the only ones that the emulator takes.
"""
from ministack.services import sns
from ministack.services.cloudformation import provisioners


def create(logical_id, properties, stack_name):
    name = properties['ConfigurationSetName']
    region, account = provisioners.get_region(), provisioners.get_account_id()
    return name, {'Arn': f'arn:aws:sms-voice:{region}:{account}:configuration-set/{name}'}


provisioners._RESOURCE_HANDLERS['AWS::SMSVOICE::ConfigurationSet'] = {
    'create': create,
    'delete': lambda *_: None,
}
sns._enforce_topic_policy = lambda *_: None

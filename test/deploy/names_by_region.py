"""
Runs inside the emulator: the names that CloudFormation generates differ from region to region, as on AWS, where they end at
random. The emulator derives them from the stack's name alone, so the roles of a second region would replace the first's.
"""
from ministack.services.cloudformation import provisioners

generated_name, seed = provisioners._physical_name, provisioners._NAME_SEED


def name_in_region(*of, **options):
    before = seed.set(f"{seed.get()} {provisioners.get_region()}")
    try:
        return generated_name(*of, **options)
    finally:
        seed.reset(before)


provisioners._physical_name = name_in_region

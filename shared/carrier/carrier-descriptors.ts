/** The facts of all carriers. The deploy reads them. */
import { awsDescriptor } from './aws/aws-descriptor.ts';
import type { CarrierDescriptor } from './carrier-module.ts';
import { infobipDescriptor } from './infobip/infobip-descriptor.ts';
import { metaDescriptor } from './meta/meta-descriptor.ts';
import { simulatorDescriptor } from './simulator/simulator-descriptor.ts';
import { twilioDescriptor } from './twilio/twilio-descriptor.ts';

export const carrierDescriptors: readonly CarrierDescriptor[] = [
  awsDescriptor,
  infobipDescriptor,
  metaDescriptor,
  simulatorDescriptor,
  twilioDescriptor,
];

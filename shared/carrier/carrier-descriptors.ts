/** The facts of all carriers, for the deploy. */
import { awsDescriptor } from './aws/descriptor.ts';
import type { CarrierDescriptor } from './carrier-module.ts';
import { infobipDescriptor } from './infobip/descriptor.ts';
import { metaDescriptor } from './meta/descriptor.ts';
import { simulatorDescriptor } from './simulator/descriptor.ts';
import { twilioDescriptor } from './twilio/descriptor.ts';

export const carrierDescriptors: readonly CarrierDescriptor[] = [
  awsDescriptor,
  infobipDescriptor,
  metaDescriptor,
  simulatorDescriptor,
  twilioDescriptor,
];

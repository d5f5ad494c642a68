/**
 * Lists the carriers. A new carrier needs its folder, and a line in this file, in carrier-reports.ts and in
 * carrier-descriptors.ts. Functions import `#carriers`, which a bundle replaces with a list of only its stage's carriers
 * (`lib/build/stage-carriers.ts`).
 */
import { aws } from './aws/aws.ts';
import type { CarrierModule } from './carrier-module.ts';
import { infobip } from './infobip/infobip.ts';
import { meta } from './meta/meta.ts';
import { simulator } from './simulator/simulator.ts';
import { twilio } from './twilio/twilio.ts';

export const carrierModules: readonly CarrierModule[] = [aws, infobip, meta, simulator, twilio];

/** The carriers whose credentials can be checked; functions import the list as `#carriers-with-credentials`. */
export const carriersWithCredentials = carrierModules.filter(({ descriptor }) => descriptor.hasCredentials);

/** The vendors whose carriers are tested by doubles: a new carrier is a file beside this one and a line here. */
import { infobipVendor } from './infobip.ts';
import { metaVendor } from './meta.ts';
import { twilioVendor } from './twilio.ts';
import type { CallbackVendor } from './vendor.ts';

export const vendors: readonly CallbackVendor[] = [infobipVendor, metaVendor, twilioVendor];

/** The carriers whose credentials can be tried; functions import it as `#carriers-with-credentials`, as they do `#carriers`. */
import type { CarrierModule } from './carrier-module.ts';
import { carrierModules } from './carriers.ts';

export const carriersWithCredentials: readonly CarrierModule[] = carrierModules.filter(
  ({ descriptor }) => descriptor.hasCredentials,
);

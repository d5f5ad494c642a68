/** The properties of most capabilities: the settings, the tables, and the schedules. */
import type { StageSettings } from '../stages/stage-settings.ts';
import type { Schedules } from './schedules.ts';
import type { Storage } from './storage/storage.ts';

export interface CapabilityProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly schedules: Schedules;
}

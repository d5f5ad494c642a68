/** All checks, in the order in which they disturb each other least. */
import { accessChecks } from './access-checks.ts';
import type { Check } from './check.ts';
import { formChecks } from './form-checks.ts';
import { limitCheck, messageChecks } from './message-checks.ts';

export const checks: readonly Check[] = [...accessChecks, ...formChecks, ...messageChecks, limitCheck];

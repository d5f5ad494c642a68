/** Clients to whom no cap applies. */
import type { AllowanceOf } from '../../../shared/limit/take-from-caps.ts';

export const allowanceOf: AllowanceOf = async () => undefined;

/** Clients to whom no cap applies. */
import type { AllowanceOf } from '../../../shared/limit/allowance.ts';

export const allowanceOf: AllowanceOf = async () => undefined;

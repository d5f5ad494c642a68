/** A name for resources whose name must be given, and that must not block the deploy after a destroy. */
import { Aws, Fn } from 'aws-cdk-lib';
import type { StageSettings } from '../stages/stage-settings.ts';

/**
 * Returns a name that ends with part of the stack's id, so that it is unique: the next stack of the same name has another
 * one, while a resource of this one is still being deleted or was kept.
 */
export function nameOfThisStack(stage: StageSettings): string {
  const stackId = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  return Fn.join('-', [stage.stackName, Fn.select(4, Fn.split('-', stackId))]);
}

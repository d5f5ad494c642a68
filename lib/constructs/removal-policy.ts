/**
 * Decides if data, and the keys and secrets that read it, are deleted with the stack. Also returns unique names for
 * resources that need one, so that kept resources do not block the next deploy.
 */
import { Aws, Fn, RemovalPolicy } from 'aws-cdk-lib';
import type { StageSettings } from '../stages/stage-settings.ts';

/**
 * Returns the policy for keys, secrets and logs. If the stage keeps its data, they are kept, unless the deploy that created
 * them fails. Their names are generated, so a kept resource does not conflict with the next deploy.
 */
export function dataRemovalPolicy(stage: StageSettings): RemovalPolicy {
  return stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}

/**
 * Returns the policy for tables. If the stage keeps its data, tables remain even if a deploy fails, because CloudFormation
 * cannot delete a protected table. The next deploy imports the existing tables into the stack
 * (`--import-existing-resources`).
 */
export function tableRemovalPolicy(stage: StageSettings): RemovalPolicy {
  return stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
}

/**
 * Returns a name that ends with part of the stack's id. The name is unique, so that a kept resource, or one that is still
 * being deleted, does not block a new stack with the same name.
 */
export function nameOfThisStack(stage: StageSettings): string {
  const stackId = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  return Fn.join('-', [stage.stackName, Fn.select(4, Fn.split('-', stackId))]);
}

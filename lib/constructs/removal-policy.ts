/**
 * Whether data, and the keys and secrets needed to read it, are deleted with the stack; and a name for resources whose name
 * must be given, which does not block the next deploy.
 */
import { Aws, Fn, RemovalPolicy } from 'aws-cdk-lib';
import type { StageSettings } from '../stages/stage-settings.ts';

/**
 * The policy for keys, secrets and logs: they are kept if the stage keeps its data, except when the deploy that created
 * them fails. Their names are generated, so a kept one does not conflict with the next deploy.
 */
export function dataRemovalPolicy(stage: StageSettings): RemovalPolicy {
  return stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}

/**
 * The policy for tables: they are kept if the stage keeps its data, also when a deploy fails, because CloudFormation
 * cannot delete a protected table. The next deploy imports the existing tables into the stack
 * (`--import-existing-resources`).
 */
export function tableRemovalPolicy(stage: StageSettings): RemovalPolicy {
  return stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
}

/**
 * Returns a name that ends with part of the stack's id, so that it is unique: the next stack of the same name has another
 * one, while a resource of this one is still being deleted or was kept.
 */
export function nameOfThisStack(stage: StageSettings): string {
  const stackId = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  return Fn.join('-', [stage.stackName, Fn.select(4, Fn.split('-', stackId))]);
}

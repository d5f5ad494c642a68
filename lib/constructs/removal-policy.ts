/** What becomes of things that hold data, or without which data cannot be read, when their stack is deleted. */
import { RemovalPolicy } from 'aws-cdk-lib';
import type { StageSettings } from '../stages/stage-settings.ts';

/**
 * Of keys, secrets and logs: kept where the stage keeps its data, but for those that a deploy made and then failed.
 * They have no fixed names, so what is kept is in nobody's way.
 */
export function dataRemovalPolicy(stage: StageSettings): RemovalPolicy {
  return stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}

/** ARNs from lookups. The CDK parses ARNs, and fails at the dummy value that a lookup returns at first. */
import { Lazy, Token } from 'aws-cdk-lib';
import { isPlaceholder } from '../stages/aws-names.ts';

/**
 * Returns the ARN. If it is still a dummy value, hides it from the CDK's parser. Otherwise the first synthesis would fail, and
 * the CDK's command line looks the parameter up only after it.
 */
export function parsableArn(arn: string): string {
  const isLookup = isPlaceholder(arn) && !Token.isUnresolved(arn);
  return isLookup ? Lazy.string({ produce: () => arn }) : arn;
}

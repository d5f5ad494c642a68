/** ARNs from lookups. The CDK parses ARNs, but cannot parse the dummy value that a lookup first returns. */
import { Lazy, Token } from 'aws-cdk-lib';
import { isPlaceholder } from '../stages/aws-names.ts';

/**
 * Returns the ARN. A dummy value is hidden from the CDK's parser. Otherwise the first synthesis would fail, and the CDK's
 * command line looks the parameter up only after it.
 */
export function parsableArn(arn: string): string {
  const isLookup = isPlaceholder(arn) && !Token.isUnresolved(arn);
  return isLookup ? Lazy.string({ produce: () => arn }) : arn;
}

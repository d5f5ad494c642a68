/** ARNs from lookups. The CDK parses ARNs, but cannot parse the dummy value that a lookup returns at first. */
import { Lazy, Token } from 'aws-cdk-lib';
import { isPlaceholder } from '../stages/aws-names.ts';

/**
 * Returns the ARN. If the ARN is still a dummy value, hides the value from the parser of the CDK. If the value were parsed,
 * the first synthesis would fail. The CDK's command line looks the parameter up only after this synthesis.
 */
export function parsableArn(arn: string): string {
  const isLookup = isPlaceholder(arn) && !Token.isUnresolved(arn);
  return isLookup ? Lazy.string({ produce: () => arn }) : arn;
}

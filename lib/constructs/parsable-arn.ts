/** ARNs that an app looks up: the CDK parses them, and fails at the values that lookups have at first. */
import { Lazy, Token } from 'aws-cdk-lib';
import { isPlaceholder } from '../stages/aws-names.ts';

/**
 * Returns the ARN in a form that the CDK does not parse where it is not one yet. Otherwise the synthesis would end before the
 * CDK's command line has looked the parameter up, which it does after a first synthesis.
 */
export function parsableArn(arn: string): string {
  const isLookup = isPlaceholder(arn) && !Token.isUnresolved(arn);
  return isLookup ? Lazy.string({ produce: () => arn }) : arn;
}

/** Acknowledges findings of cdk-nag with a reason, also in a platform team's app that checks its templates. */
import { Stack, Token, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Acknowledges findings of a construct and its children, with a reason for each rule in `reasons`. */
export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  Validations.of(construct).acknowledge(
    ...Object.entries(reasons).map(([rule, reason]) => ({
      id: `${rule.slice(0, rule.indexOf('-'))}::${rule}`,
      reason,
    })),
  );
}

/** Acknowledges a permission with a wildcard. `resource` is the part of the ARN after the account, with its `*`. */
export function acknowledgeWildcard(
  role: IConstruct,
  service: string,
  resource: string,
  reason: string,
): void {
  const { region } = Stack.of(role);
  const where = Token.isUnresolved(region) ? '<AWS::Region>' : region;
  const arn = `arn:<AWS::Partition>:${service}:${where}:<AWS::AccountId>:${resource}`;
  acknowledge(role, { [`AwsSolutions-IAM5[Resource::${arn}]`]: reason });
}

/** Checks the template with cdk-nag (AwsSolutions, Serverless); findings can be acknowledged with a reason. */
import { type App, Stack, Token, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** Checks each synthesis of the app; it fails on a finding that is not acknowledged. */
export function applyTemplateRules(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}

/** Acknowledges findings of a construct and its children: the reason by rule. */
export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  Validations.of(construct).acknowledge(
    ...Object.entries(reasons).map(([rule, reason]) => ({
      id: `${rule.slice(0, rule.indexOf('-'))}::${rule}`,
      reason,
    })),
  );
}

/** Acknowledges a permission with a wildcard; `resource` is the end of the ARN, after the account, with its `*`. */
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

/** The rules that the template keeps (cdk-nag's AwsSolutions and Serverless packs), and what is let pass, with its reason. */
import { type App, Stack, Token, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** Has every synthesis of the app checked; a finding that is not acknowledged ends it. */
export function applyTemplateRules(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}

/** Lets the findings of these rules pass on a construct and what it holds, each for its reason. */
export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  Validations.of(construct).acknowledge(
    ...Object.entries(reasons).map(([rule, reason]) => ({
      id: `${rule.slice(0, rule.indexOf('-'))}::${rule}`,
      reason,
    })),
  );
}

/** Lets a right on many resources pass: `resource` is the part of the ARN behind the account, with its `*`. */
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

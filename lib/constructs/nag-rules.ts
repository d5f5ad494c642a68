/** Checks the template with cdk-nag (AwsSolutions, Serverless); `acknowledge` has the reasons for what it would find. */
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

/** Checks each synthesis of the app; it fails on a finding that is not acknowledged. */
export function applyTemplateRules(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}

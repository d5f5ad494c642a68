/** A role with an inline policy, which saves resources: a stack can contain only 500. */
import { Stack } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

export class InlineRole extends Role {
  private readonly permissions: PolicyDocument;

  constructor(
    scope: Construct,
    id: string,
    {
      service,
      onlyForThisAccount = false,
    }: {
      /** The service that assumes the role. */
      readonly service: string;
      /**
       * True if the service may assume the role only for this account. Set this for services that act for any account that
       * names the role.
       */
      readonly onlyForThisAccount?: boolean;
    },
  ) {
    const permissions = new PolicyDocument();
    const sourceAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
    super(scope, id, {
      assumedBy: new ServicePrincipal(service, onlyForThisAccount ? { conditions: sourceAccount } : {}),
      inlinePolicies: { permissions },
    });
    this.permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}

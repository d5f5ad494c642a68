/** A message as the admin API shows it: the status answer of the public API. */

export interface MessageView {
  readonly message_id: string;
  readonly client_id: string;
  readonly channel: 'sms' | 'whatsapp';
  readonly status: string;
  readonly recipient: string;
  readonly from: string | null;
  readonly type: string;
  readonly reference: string | null;
  readonly encoding?: string | null;
  readonly segments?: number | null;
  readonly cost: number | null;
  readonly currency: string | null;
  readonly error: { readonly code: string; readonly message: string | null } | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly history: readonly { readonly status: string; readonly at: string }[];
}

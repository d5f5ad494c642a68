/** The error with which a service of AWS answers. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    { status = 400, ...fields }: { readonly status?: number; readonly [field: string]: unknown } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.fields = fields;
  }
}

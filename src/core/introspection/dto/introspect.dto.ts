import { Rule, ShortText } from '../../../platform/common/fields.ts';
import { TokenRequest } from '../../../platform/common/http/parameters/token-request.dto.ts';
import { textViolations } from '../../../platform/common/text.ts';

/** The body of an introspection, as JSON or as a form (RFC 7662, section 2.1). */
export class IntrospectionRequest extends TokenRequest {
  @ShortText.optional(
    'Restricts the response to one schema: `mapping` then has only its entry, or `unmapped` names it. Under the policy `registered` your own id of the schema, or its number in the service.',
    'sales',
  )
  @Rule(textViolations)
  schema_id?: string;
}

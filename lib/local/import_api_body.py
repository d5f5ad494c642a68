"""Lets the emulator import the API's body as AWS does; runs in its process before it starts.

The emulator's own import skips the ANY methods and the gateway responses of a body, calls functions only by literal names,
and turns a changed body into another API with another id.
"""
import re
from ministack.services import apigateway_v1 as api
from ministack.services.cloudformation import provisioners

import_body, import_path_item, call_function = api._import_rest_api, api._import_path_item, api._invoke_lambda_proxy_v1
rest_api_handlers = provisioners._RESOURCE_HANDLERS['AWS::ApiGateway::RestApi']
update_properties = rest_api_handlers['update']

def import_any_methods(api_id, path, item, *others):
    methods = {('any' if key == 'x-amazon-apigateway-any-method' else key): value for key, value in item.items()}
    import_path_item(api_id, path, methods, *others)

def import_with_responses(body, *others):
    api_id = import_body(body, *others)
    for kind, response in body.get('x-amazon-apigateway-gateway-responses', {}).items():
        status, _headers, reason = api._put_gateway_response(api_id, kind, response)
        if status >= 400:
            raise ValueError(f'{kind}: {reason!r}')
    return api_id

def call_by_stage_variable(integration, api_id, stage_name, stage, *others, **named):
    variables = stage.get('variables') or {}
    uri = re.sub(r'\$\{stageVariables\.(\w+)\}', lambda found: variables.get(found[1], ''), integration.get('uri') or '')
    return call_function({**integration, 'uri': uri}, api_id, stage_name, stage, *others, **named)

def update_in_place(physical_id, old, new, *others, **named):
    if isinstance(new.get('Body'), dict) and new['Body'] != old.get('Body'):
        imported = api._import_rest_api(new['Body'], {})
        for table in (api._resources, api._gateway_responses):
            table[physical_id] = table[imported]
        api._delete_rest_api(imported)
    return update_properties(physical_id, {**old, 'Body': None}, {**new, 'Body': None}, *others, **named)

api._OPENAPI_HTTP_METHODS.add('any')
api._import_path_item = import_any_methods
api._import_rest_api = import_with_responses
api._invoke_lambda_proxy_v1 = call_by_stage_variable
rest_api_handlers['update'] = update_in_place

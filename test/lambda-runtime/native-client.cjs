/** The two calls of the native addon that bring back a result. */
const { request } = require('node:http');

function post(path, body, headers) {
  const [hostname, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
  request({ hostname, port, method: 'POST', path: `/2018-06-01/runtime/invocation/${path}`, headers }).end(
    body,
  );
}

exports.done = (id, body) => post(`${id}/response`, body, { 'Content-Type': 'application/json' });
exports.error = (id, body) => post(`${id}/error`, body, { 'Content-Type': 'application/json' });

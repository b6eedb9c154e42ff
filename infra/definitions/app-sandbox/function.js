// CloudFront Function: the answer to every request to the distribution for apps. No other origin serves anything there.
// The page chooses the policy of an app from what its server declared. This adds who may show the frame.
var CSP = /^[A-Za-z0-9 :\/.*';-]{1,7000}$/;
var HEADERS = ${Headers};
var PAGE = ${Page};

function handler(event) {
  var request = event.request;
  var parameter = request.querystring.csp;
  var csp = parameter ? decodeURIComponent(parameter.value.replace(/\+/g, " ")) : "";
  if (request.uri !== "/" || !CSP.test(csp)) {
    return { statusCode: 404, statusDescription: "Not Found", headers: { "content-type": { value: "text/plain" } } };
  }
  var headers = {};
  Object.keys(HEADERS).forEach(function (name) {
    headers[name.toLowerCase()] = { value: HEADERS[name] };
  });
  headers["content-security-policy"] = { value: csp + ", " + HEADERS["Content-Security-Policy"] };
  return { statusCode: 200, statusDescription: "OK", headers: headers, body: { encoding: "text", data: PAGE } };
}

/*! The viewer of regard, Apache-2.0. It contains Lit (BSD-3-Clause, Google LLC) and d3-color, d3-hierarchy, d3-interpolate, d3-scale and d3-scale-chromatic (ISC, Mike Bostock; colour schemes: Apache-2.0, Cynthia Brewer). */
var gt=globalThis,bt=gt.ShadowRoot&&(gt.ShadyCSS===void 0||gt.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,on=Symbol(),or=new WeakMap,Ge=class{constructor(t,n,r){if(this._$cssResult$=!0,r!==on)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=n}get styleSheet(){let t=this.o,n=this.t;if(bt&&t===void 0){let r=n!==void 0&&n.length===1;r&&(t=or.get(n)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),r&&or.set(n,t))}return t}toString(){return this.cssText}},sr=e=>new Ge(typeof e=="string"?e:e+"",void 0,on),S=(e,...t)=>{let n=e.length===1?e[0]:t.reduce((r,i,o)=>r+(s=>{if(s._$cssResult$===!0)return s.cssText;if(typeof s=="number")return s;throw Error("Value passed to 'css' function must be a 'css' function result: "+s+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(i)+e[o+1],e[0]);return new Ge(n,e,on)},ar=(e,t)=>{if(bt)e.adoptedStyleSheets=t.map(n=>n instanceof CSSStyleSheet?n:n.styleSheet);else for(let n of t){let r=document.createElement("style"),i=gt.litNonce;i!==void 0&&r.setAttribute("nonce",i),r.textContent=n.cssText,e.appendChild(r)}},sn=bt?e=>e:e=>e instanceof CSSStyleSheet?(t=>{let n="";for(let r of t.cssRules)n+=r.cssText;return sr(n)})(e):e;var{is:fs,defineProperty:ms,getOwnPropertyDescriptor:hs,getOwnPropertyNames:ps,getOwnPropertySymbols:gs,getPrototypeOf:bs}=Object,xt=globalThis,lr=xt.trustedTypes,xs=lr?lr.emptyScript:"",ws=xt.reactiveElementPolyfillSupport,Fe=(e,t)=>e,an={toAttribute(e,t){switch(t){case Boolean:e=e?xs:null;break;case Object:case Array:e=e==null?e:JSON.stringify(e)}return e},fromAttribute(e,t){let n=e;switch(t){case Boolean:n=e!==null;break;case Number:n=e===null?null:Number(e);break;case Object:case Array:try{n=JSON.parse(e)}catch{n=null}}return n}},ur=(e,t)=>!fs(e,t),cr={attribute:!0,type:String,converter:an,reflect:!1,useDefault:!1,hasChanged:ur};Symbol.metadata??=Symbol("metadata"),xt.litPropertyMetadata??=new WeakMap;var te=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,n=cr){if(n.state&&(n.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((n=Object.create(n)).wrapped=!0),this.elementProperties.set(t,n),!n.noAccessor){let r=Symbol(),i=this.getPropertyDescriptor(t,r,n);i!==void 0&&ms(this.prototype,t,i)}}static getPropertyDescriptor(t,n,r){let{get:i,set:o}=hs(this.prototype,t)??{get(){return this[n]},set(s){this[n]=s}};return{get:i,set(s){let a=i?.call(this);o?.call(this,s),this.requestUpdate(t,a,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??cr}static _$Ei(){if(this.hasOwnProperty(Fe("elementProperties")))return;let t=bs(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(Fe("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(Fe("properties"))){let n=this.properties,r=[...ps(n),...gs(n)];for(let i of r)this.createProperty(i,n[i])}let t=this[Symbol.metadata];if(t!==null){let n=litPropertyMetadata.get(t);if(n!==void 0)for(let[r,i]of n)this.elementProperties.set(r,i)}this._$Eh=new Map;for(let[n,r]of this.elementProperties){let i=this._$Eu(n,r);i!==void 0&&this._$Eh.set(i,n)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let n=[];if(Array.isArray(t)){let r=new Set(t.flat(1/0).reverse());for(let i of r)n.unshift(sn(i))}else t!==void 0&&n.push(sn(t));return n}static _$Eu(t,n){let r=n.attribute;return r===!1?void 0:typeof r=="string"?r:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,n=this.constructor.elementProperties;for(let r of n.keys())this.hasOwnProperty(r)&&(t.set(r,this[r]),delete this[r]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return ar(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,n,r){this._$AK(t,r)}_$ET(t,n){let r=this.constructor.elementProperties.get(t),i=this.constructor._$Eu(t,r);if(i!==void 0&&r.reflect===!0){let o=(r.converter?.toAttribute!==void 0?r.converter:an).toAttribute(n,r.type);this._$Em=t,o==null?this.removeAttribute(i):this.setAttribute(i,o),this._$Em=null}}_$AK(t,n){let r=this.constructor,i=r._$Eh.get(t);if(i!==void 0&&this._$Em!==i){let o=r.getPropertyOptions(i),s=typeof o.converter=="function"?{fromAttribute:o.converter}:o.converter?.fromAttribute!==void 0?o.converter:an;this._$Em=i;let a=s.fromAttribute(n,o.type);this[i]=a??this._$Ej?.get(i)??a,this._$Em=null}}requestUpdate(t,n,r,i=!1,o){if(t!==void 0){let s=this.constructor;if(i===!1&&(o=this[t]),r??=s.getPropertyOptions(t),!((r.hasChanged??ur)(o,n)||r.useDefault&&r.reflect&&o===this._$Ej?.get(t)&&!this.hasAttribute(s._$Eu(t,r))))return;this.C(t,n,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,n,{useDefault:r,reflect:i,wrapped:o},s){r&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,s??n??this[t]),o!==!0||s!==void 0)||(this._$AL.has(t)||(this.hasUpdated||r||(n=void 0),this._$AL.set(t,n)),i===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(n){Promise.reject(n)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[i,o]of this._$Ep)this[i]=o;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[i,o]of r){let{wrapped:s}=o,a=this[i];s!==!0||this._$AL.has(i)||a===void 0||this.C(i,void 0,o,a)}}let t=!1,n=this._$AL;try{t=this.shouldUpdate(n),t?(this.willUpdate(n),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(n)):this._$EM()}catch(r){throw t=!1,this._$EM(),r}t&&this._$AE(n)}willUpdate(t){}_$AE(t){this._$EO?.forEach(n=>n.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(n=>this._$ET(n,this[n])),this._$EM()}updated(t){}firstUpdated(t){}};te.elementStyles=[],te.shadowRootOptions={mode:"open"},te[Fe("elementProperties")]=new Map,te[Fe("finalized")]=new Map,ws?.({ReactiveElement:te}),(xt.reactiveElementVersions??=[]).push("2.1.2");var cn=globalThis,dr=e=>e,wt=cn.trustedTypes,fr=wt?wt.createPolicy("lit-html",{createHTML:e=>e}):void 0,un="$lit$",ne=`lit$${Math.random().toFixed(9).slice(2)}$`,dn="?"+ne,ys=`<${dn}>`,pe=document,Ye=()=>pe.createComment(""),We=e=>e===null||typeof e!="object"&&typeof e!="function",fn=Array.isArray,xr=e=>fn(e)||typeof e?.[Symbol.iterator]=="function",ln=`[ 	
\f\r]`,Ke=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,mr=/-->/g,hr=/>/g,me=RegExp(`>|${ln}(?:([^\\s"'>=/]+)(${ln}*=${ln}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),pr=/'/g,gr=/"/g,wr=/^(?:script|style|textarea|title)$/i,mn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),f=mn(1),yr=mn(2),R=mn(3),ge=Symbol.for("lit-noChange"),b=Symbol.for("lit-nothing"),br=new WeakMap,he=pe.createTreeWalker(pe,129);function $r(e,t){if(!fn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return fr!==void 0?fr.createHTML(t):t}var vr=(e,t)=>{let n=e.length-1,r=[],i,o=t===2?"<svg>":t===3?"<math>":"",s=Ke;for(let a=0;a<n;a++){let c=e[a],l,u,d=-1,m=0;for(;m<c.length&&(s.lastIndex=m,u=s.exec(c),u!==null);)m=s.lastIndex,s===Ke?u[1]==="!--"?s=mr:u[1]!==void 0?s=hr:u[2]!==void 0?(wr.test(u[2])&&(i=RegExp("</"+u[2],"g")),s=me):u[3]!==void 0&&(s=me):s===me?u[0]===">"?(s=i??Ke,d=-1):u[1]===void 0?d=-2:(d=s.lastIndex-u[2].length,l=u[1],s=u[3]===void 0?me:u[3]==='"'?gr:pr):s===gr||s===pr?s=me:s===mr||s===hr?s=Ke:(s=me,i=void 0);let h=s===me&&e[a+1].startsWith("/>")?" ":"";o+=s===Ke?c+ys:d>=0?(r.push(l),c.slice(0,d)+un+c.slice(d)+ne+h):c+ne+(d===-2?a:h)}return[$r(e,o+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},Xe=class e{constructor({strings:t,_$litType$:n},r){let i;this.parts=[];let o=0,s=0,a=t.length-1,c=this.parts,[l,u]=vr(t,n);if(this.el=e.createElement(l,r),he.currentNode=this.el.content,n===2||n===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(i=he.nextNode())!==null&&c.length<a;){if(i.nodeType===1){if(i.hasAttributes())for(let d of i.getAttributeNames())if(d.endsWith(un)){let m=u[s++],h=i.getAttribute(d).split(ne),g=/([.?@])?(.*)/.exec(m);c.push({type:1,index:o,name:g[2],strings:h,ctor:g[1]==="."?$t:g[1]==="?"?vt:g[1]==="@"?At:xe}),i.removeAttribute(d)}else d.startsWith(ne)&&(c.push({type:6,index:o}),i.removeAttribute(d));if(wr.test(i.tagName)){let d=i.textContent.split(ne),m=d.length-1;if(m>0){i.textContent=wt?wt.emptyScript:"";for(let h=0;h<m;h++)i.append(d[h],Ye()),he.nextNode(),c.push({type:2,index:++o});i.append(d[m],Ye())}}}else if(i.nodeType===8)if(i.data===dn)c.push({type:2,index:o});else{let d=-1;for(;(d=i.data.indexOf(ne,d+1))!==-1;)c.push({type:7,index:o}),d+=ne.length-1}o++}}static createElement(t,n){let r=pe.createElement("template");return r.innerHTML=t,r}};function be(e,t,n=e,r){if(t===ge)return t;let i=r!==void 0?n._$Co?.[r]:n._$Cl,o=We(t)?void 0:t._$litDirective$;return i?.constructor!==o&&(i?._$AO?.(!1),o===void 0?i=void 0:(i=new o(e),i._$AT(e,n,r)),r!==void 0?(n._$Co??=[])[r]=i:n._$Cl=i),i!==void 0&&(t=be(e,i._$AS(e,t.values),i,r)),t}var yt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:r}=this._$AD,i=(t?.creationScope??pe).importNode(n,!0);he.currentNode=i;let o=he.nextNode(),s=0,a=0,c=r[0];for(;c!==void 0;){if(s===c.index){let l;c.type===2?l=new Te(o,o.nextSibling,this,t):c.type===1?l=new c.ctor(o,c.name,c.strings,this,t):c.type===6&&(l=new kt(o,this,t)),this._$AV.push(l),c=r[++a]}s!==c?.index&&(o=he.nextNode(),s++)}return he.currentNode=pe,i}p(t){let n=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,n),n+=r.strings.length-2):r._$AI(t[n])),n++}},Te=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,r,i){this.type=2,this._$AH=b,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=r,this.options=i,this._$Cv=i?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=be(this,t,n),We(t)?t===b||t==null||t===""?(this._$AH!==b&&this._$AR(),this._$AH=b):t!==this._$AH&&t!==ge&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):xr(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==b&&We(this._$AH)?this._$AA.nextSibling.data=t:this.T(pe.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:r}=t,i=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=Xe.createElement($r(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===i)this._$AH.p(n);else{let o=new yt(i,this),s=o.u(this.options);o.p(n),this.T(s),this._$AH=o}}_$AC(t){let n=br.get(t.strings);return n===void 0&&br.set(t.strings,n=new Xe(t)),n}k(t){fn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,i=0;for(let o of t)i===n.length?n.push(r=new e(this.O(Ye()),this.O(Ye()),this,this.options)):r=n[i],r._$AI(o),i++;i<n.length&&(this._$AR(r&&r._$AB.nextSibling,i),n.length=i)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let r=dr(t).nextSibling;dr(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},xe=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,r,i,o){this.type=1,this._$AH=b,this._$AN=void 0,this.element=t,this.name=n,this._$AM=i,this.options=o,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=b}_$AI(t,n=this,r,i){let o=this.strings,s=!1;if(o===void 0)t=be(this,t,n,0),s=!We(t)||t!==this._$AH&&t!==ge,s&&(this._$AH=t);else{let a=t,c,l;for(t=o[0],c=0;c<o.length-1;c++)l=be(this,a[r+c],n,c),l===ge&&(l=this._$AH[c]),s||=!We(l)||l!==this._$AH[c],l===b?t=b:t!==b&&(t+=(l??"")+o[c+1]),this._$AH[c]=l}s&&!i&&this.j(t)}j(t){t===b?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},$t=class extends xe{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===b?void 0:t}},vt=class extends xe{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==b)}},At=class extends xe{constructor(t,n,r,i,o){super(t,n,r,i,o),this.type=5}_$AI(t,n=this){if((t=be(this,t,n,0)??b)===ge)return;let r=this._$AH,i=t===b&&r!==b||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,o=t!==b&&(r===b||i);i&&this.element.removeEventListener(this.name,this,r),o&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},kt=class{constructor(t,n,r){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){be(this,t)}},Ar={M:un,P:ne,A:dn,C:1,L:vr,R:yt,D:xr,V:be,I:Te,H:xe,N:vt,U:At,B:$t,F:kt},$s=cn.litHtmlPolyfillSupport;$s?.(Xe,Te),(cn.litHtmlVersions??=[]).push("3.3.3");var kr=(e,t,n)=>{let r=n?.renderBefore??t,i=r._$litPart$;if(i===void 0){let o=n?.renderBefore??null;r._$litPart$=i=new Te(t.insertBefore(Ye(),o),o,void 0,n??{})}return i._$AI(e),i};var hn=globalThis,le=class extends te{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let n=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=kr(n,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return ge}};le._$litElement$=!0,le.finalized=!0,hn.litElementHydrateSupport?.({LitElement:le});var vs=hn.litElementPolyfillSupport;vs?.({LitElement:le});(hn.litElementVersions??=[]).push("4.2.2");function St(e,t){return e==null||t==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function As(e,t){return e==null||t==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function Sr(e){let t,n,r;e.length!==2?(t=St,n=(a,c)=>St(e(a),c),r=(a,c)=>e(a)-c):(t=e===St||e===As?e:ks,n=e,r=e);function i(a,c,l=0,u=a.length){if(l<u){if(t(c,c)!==0)return u;do{let d=l+u>>>1;n(a[d],c)<0?l=d+1:u=d}while(l<u)}return l}function o(a,c,l=0,u=a.length){if(l<u){if(t(c,c)!==0)return u;do{let d=l+u>>>1;n(a[d],c)<=0?l=d+1:u=d}while(l<u)}return l}function s(a,c,l=0,u=a.length){let d=i(a,c,l,u-1);return d>l&&r(a[d-1],c)>-r(a[d],c)?d-1:d}return{left:i,center:s,right:o}}function ks(){return 0}function Ss(e){return e===null?NaN:+e}var Mr=Sr(St),_r=Mr.right,hc=Mr.left,pc=Sr(Ss).center;var gc=Tr(Er),bc=Tr(Ms);function Tr(e){return function(t,n,r=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((r=+r)>=0))throw new RangeError("invalid ry");let{data:i,width:o,height:s}=t;if(!((o=Math.floor(o))>=0))throw new RangeError("invalid width");if(!((s=Math.floor(s!==void 0?s:i.length/o))>=0))throw new RangeError("invalid height");if(!o||!s||!n&&!r)return t;let a=n&&e(n),c=r&&e(r),l=i.slice();return a&&c?(Ee(a,l,i,o,s),Ee(a,i,l,o,s),Ee(a,l,i,o,s),Ne(c,i,l,o,s),Ne(c,l,i,o,s),Ne(c,i,l,o,s)):a?(Ee(a,i,l,o,s),Ee(a,l,i,o,s),Ee(a,i,l,o,s)):c&&(Ne(c,i,l,o,s),Ne(c,l,i,o,s),Ne(c,i,l,o,s)),t}}function Ee(e,t,n,r,i){for(let o=0,s=r*i;o<s;)e(t,n,o,o+=r,1)}function Ne(e,t,n,r,i){for(let o=0,s=r*i;o<r;++o)e(t,n,o,o+s,r)}function Ms(e){let t=Er(e);return(n,r,i,o,s)=>{i<<=2,o<<=2,s<<=2,t(n,r,i+0,o+0,s),t(n,r,i+1,o+1,s),t(n,r,i+2,o+2,s),t(n,r,i+3,o+3,s)}}function Er(e){let t=Math.floor(e);if(t===e)return _s(e);let n=e-t,r=2*e+1;return(i,o,s,a,c)=>{if(!((a-=c)>=s))return;let l=t*o[s],u=c*t,d=u+c;for(let m=s,h=s+u;m<h;m+=c)l+=o[Math.min(a,m)];for(let m=s,h=a;m<=h;m+=c)l+=o[Math.min(a,m+u)],i[m]=(l+n*(o[Math.max(s,m-d)]+o[Math.min(a,m+d)]))/r,l-=o[Math.max(s,m-u)]}}function _s(e){let t=2*e+1;return(n,r,i,o,s)=>{if(!((o-=s)>=i))return;let a=e*r[i],c=s*e;for(let l=i,u=i+c;l<u;l+=s)a+=r[Math.min(o,l)];for(let l=i,u=o;l<=u;l+=s)a+=r[Math.min(o,l+c)],n[l]=a/t,a-=r[Math.max(i,l-c)]}}var Ts=Array.prototype,xc=Ts.slice;var Es=Math.sqrt(50),Ns=Math.sqrt(10),Rs=Math.sqrt(2);function Mt(e,t,n){let r=(t-e)/Math.max(0,n),i=Math.floor(Math.log10(r)),o=r/Math.pow(10,i),s=o>=Es?10:o>=Ns?5:o>=Rs?2:1,a,c,l;return i<0?(l=Math.pow(10,-i)/s,a=Math.round(e*l),c=Math.round(t*l),a/l<e&&++a,c/l>t&&--c,l=-l):(l=Math.pow(10,i)*s,a=Math.round(e/l),c=Math.round(t/l),a*l<e&&++a,c*l>t&&--c),c<a&&.5<=n&&n<2?Mt(e,t,n*2):[a,c,l]}function Nr(e,t,n){if(t=+t,e=+e,n=+n,!(n>0))return[];if(e===t)return[e];let r=t<e,[i,o,s]=r?Mt(t,e,n):Mt(e,t,n);if(!(o>=i))return[];let a=o-i+1,c=new Array(a);if(r)if(s<0)for(let l=0;l<a;++l)c[l]=(o-l)/-s;else for(let l=0;l<a;++l)c[l]=(o-l)*s;else if(s<0)for(let l=0;l<a;++l)c[l]=(i+l)/-s;else for(let l=0;l<a;++l)c[l]=(i+l)*s;return c}function _t(e,t,n){return t=+t,e=+e,n=+n,Mt(e,t,n)[2]}function Rr(e,t,n){t=+t,e=+e,n=+n;let r=t<e,i=r?_t(t,e,n):_t(e,t,n);return(r?-1:1)*(i<0?1/-i:i)}var wc=Cs(Math.random);function Cs(e){return function(n,r=0,i=n.length){let o=i-(r=+r);for(;o;){let s=e()*o--|0,a=n[o+r];n[o+r]=n[s+r],n[s+r]=a}return n}}function Cr(e,t){switch(arguments.length){case 0:break;case 1:this.range(e);break;default:this.range(t).domain(e);break}return this}function Tt(e,t){switch(arguments.length){case 0:break;case 1:{typeof e=="function"?this.interpolator(e):this.range(e);break}default:{this.domain(e),typeof t=="function"?this.interpolator(t):this.range(t);break}}return this}function He(e,t,n){e.prototype=t.prototype=n,n.constructor=e}function Je(e,t){var n=Object.create(e.prototype);for(var r in t)n[r]=t[r];return n}function ce(){}var ve=.7,Pe=1/ve,Re="\\s*([+-]?\\d+)\\s*",Qe="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",W="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",Ps=/^#([0-9a-f]{3,8})$/,Hs=new RegExp(`^rgb\\(${Re},${Re},${Re}\\)$`),Is=new RegExp(`^rgb\\(${W},${W},${W}\\)$`),Ls=new RegExp(`^rgba\\(${Re},${Re},${Re},${Qe}\\)$`),Os=new RegExp(`^rgba\\(${W},${W},${W},${Qe}\\)$`),Us=new RegExp(`^hsl\\(${Qe},${W},${W}\\)$`),zs=new RegExp(`^hsla\\(${Qe},${W},${W},${Qe}\\)$`),Pr={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};He(ce,Ie,{copy(e){return Object.assign(new this.constructor,this,e)},displayable(){return this.rgb().displayable()},hex:Hr,formatHex:Hr,formatHex8:Vs,formatHsl:Bs,formatRgb:Ir,toString:Ir});function Hr(){return this.rgb().formatHex()}function Vs(){return this.rgb().formatHex8()}function Bs(){return jr(this).formatHsl()}function Ir(){return this.rgb().formatRgb()}function Ie(e){var t,n;return e=(e+"").trim().toLowerCase(),(t=Ps.exec(e))?(n=t[1].length,t=parseInt(t[1],16),n===6?Lr(t):n===3?new C(t>>8&15|t>>4&240,t>>4&15|t&240,(t&15)<<4|t&15,1):n===8?Et(t>>24&255,t>>16&255,t>>8&255,(t&255)/255):n===4?Et(t>>12&15|t>>8&240,t>>8&15|t>>4&240,t>>4&15|t&240,((t&15)<<4|t&15)/255):null):(t=Hs.exec(e))?new C(t[1],t[2],t[3],1):(t=Is.exec(e))?new C(t[1]*255/100,t[2]*255/100,t[3]*255/100,1):(t=Ls.exec(e))?Et(t[1],t[2],t[3],t[4]):(t=Os.exec(e))?Et(t[1]*255/100,t[2]*255/100,t[3]*255/100,t[4]):(t=Us.exec(e))?zr(t[1],t[2]/100,t[3]/100,1):(t=zs.exec(e))?zr(t[1],t[2]/100,t[3]/100,t[4]):Pr.hasOwnProperty(e)?Lr(Pr[e]):e==="transparent"?new C(NaN,NaN,NaN,0):null}function Lr(e){return new C(e>>16&255,e>>8&255,e&255,1)}function Et(e,t,n,r){return r<=0&&(e=t=n=NaN),new C(e,t,n,r)}function yn(e){return e instanceof ce||(e=Ie(e)),e?(e=e.rgb(),new C(e.r,e.g,e.b,e.opacity)):new C}function et(e,t,n,r){return arguments.length===1?yn(e):new C(e,t,n,r??1)}function C(e,t,n,r){this.r=+e,this.g=+t,this.b=+n,this.opacity=+r}He(C,et,Je(ce,{brighter(e){return e=e==null?Pe:Math.pow(Pe,e),new C(this.r*e,this.g*e,this.b*e,this.opacity)},darker(e){return e=e==null?ve:Math.pow(ve,e),new C(this.r*e,this.g*e,this.b*e,this.opacity)},rgb(){return this},clamp(){return new C(ye(this.r),ye(this.g),ye(this.b),Rt(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:Or,formatHex:Or,formatHex8:qs,formatRgb:Ur,toString:Ur}));function Or(){return`#${we(this.r)}${we(this.g)}${we(this.b)}`}function qs(){return`#${we(this.r)}${we(this.g)}${we(this.b)}${we((isNaN(this.opacity)?1:this.opacity)*255)}`}function Ur(){let e=Rt(this.opacity);return`${e===1?"rgb(":"rgba("}${ye(this.r)}, ${ye(this.g)}, ${ye(this.b)}${e===1?")":`, ${e})`}`}function Rt(e){return isNaN(e)?1:Math.max(0,Math.min(1,e))}function ye(e){return Math.max(0,Math.min(255,Math.round(e)||0))}function we(e){return e=ye(e),(e<16?"0":"")+e.toString(16)}function zr(e,t,n,r){return r<=0?e=t=n=NaN:n<=0||n>=1?e=t=NaN:t<=0&&(e=NaN),new j(e,t,n,r)}function jr(e){if(e instanceof j)return new j(e.h,e.s,e.l,e.opacity);if(e instanceof ce||(e=Ie(e)),!e)return new j;if(e instanceof j)return e;e=e.rgb();var t=e.r/255,n=e.g/255,r=e.b/255,i=Math.min(t,n,r),o=Math.max(t,n,r),s=NaN,a=o-i,c=(o+i)/2;return a?(t===o?s=(n-r)/a+(n<r)*6:n===o?s=(r-t)/a+2:s=(t-n)/a+4,a/=c<.5?o+i:2-o-i,s*=60):a=c>0&&c<1?0:s,new j(s,a,c,e.opacity)}function Pt(e,t,n,r){return arguments.length===1?jr(e):new j(e,t,n,r??1)}function j(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}He(j,Pt,Je(ce,{brighter(e){return e=e==null?Pe:Math.pow(Pe,e),new j(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?ve:Math.pow(ve,e),new j(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=this.h%360+(this.h<0)*360,t=isNaN(e)||isNaN(this.s)?0:this.s,n=this.l,r=n+(n<.5?n:1-n)*t,i=2*n-r;return new C(pn(e>=240?e-240:e+120,i,r),pn(e,i,r),pn(e<120?e+240:e-120,i,r),this.opacity)},clamp(){return new j(Vr(this.h),Nt(this.s),Nt(this.l),Rt(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let e=Rt(this.opacity);return`${e===1?"hsl(":"hsla("}${Vr(this.h)}, ${Nt(this.s)*100}%, ${Nt(this.l)*100}%${e===1?")":`, ${e})`}`}}));function Vr(e){return e=(e||0)%360,e<0?e+360:e}function Nt(e){return Math.max(0,Math.min(1,e||0))}function pn(e,t,n){return(e<60?t+(n-t)*e/60:e<180?n:e<240?t+(n-t)*(240-e)/60:t)*255}var Gr=Math.PI/180,Fr=180/Math.PI,Ct=18,Kr=.96422,Yr=1,Wr=.82521,Xr=4/29,Ce=6/29,Qr=3*Ce*Ce,Ds=Ce*Ce*Ce;function Zr(e){if(e instanceof X)return new X(e.l,e.a,e.b,e.opacity);if(e instanceof re)return ei(e);e instanceof C||(e=yn(e));var t=wn(e.r),n=wn(e.g),r=wn(e.b),i=gn((.2225045*t+.7168786*n+.0606169*r)/Yr),o,s;return t===n&&n===r?o=s=i:(o=gn((.4360747*t+.3850649*n+.1430804*r)/Kr),s=gn((.0139322*t+.0971045*n+.7141733*r)/Wr)),new X(116*i-16,500*(o-i),200*(i-s),e.opacity)}function Jr(e,t,n,r){return arguments.length===1?Zr(e):new X(e,t,n,r??1)}function X(e,t,n,r){this.l=+e,this.a=+t,this.b=+n,this.opacity=+r}He(X,Jr,Je(ce,{brighter(e){return new X(this.l+Ct*(e??1),this.a,this.b,this.opacity)},darker(e){return new X(this.l-Ct*(e??1),this.a,this.b,this.opacity)},rgb(){var e=(this.l+16)/116,t=isNaN(this.a)?e:e+this.a/500,n=isNaN(this.b)?e:e-this.b/200;return t=Kr*bn(t),e=Yr*bn(e),n=Wr*bn(n),new C(xn(3.1338561*t-1.6168667*e-.4906146*n),xn(-.9787684*t+1.9161415*e+.033454*n),xn(.0719453*t-.2289914*e+1.4052427*n),this.opacity)}}));function gn(e){return e>Ds?Math.pow(e,1/3):e/Qr+Xr}function bn(e){return e>Ce?e*e*e:Qr*(e-Xr)}function xn(e){return 255*(e<=.0031308?12.92*e:1.055*Math.pow(e,1/2.4)-.055)}function wn(e){return(e/=255)<=.04045?e/12.92:Math.pow((e+.055)/1.055,2.4)}function js(e){if(e instanceof re)return new re(e.h,e.c,e.l,e.opacity);if(e instanceof X||(e=Zr(e)),e.a===0&&e.b===0)return new re(NaN,0<e.l&&e.l<100?0:NaN,e.l,e.opacity);var t=Math.atan2(e.b,e.a)*Fr;return new re(t<0?t+360:t,Math.sqrt(e.a*e.a+e.b*e.b),e.l,e.opacity)}function Ht(e,t,n,r){return arguments.length===1?js(e):new re(e,t,n,r??1)}function re(e,t,n,r){this.h=+e,this.c=+t,this.l=+n,this.opacity=+r}function ei(e){if(isNaN(e.h))return new X(e.l,0,0,e.opacity);var t=e.h*Gr;return new X(e.l,Math.cos(t)*e.c,Math.sin(t)*e.c,e.opacity)}He(re,Ht,Je(ce,{brighter(e){return new re(this.h,this.c,this.l+Ct*(e??1),this.opacity)},darker(e){return new re(this.h,this.c,this.l-Ct*(e??1),this.opacity)},rgb(){return ei(this).rgb()}}));var ti=-.14861,$n=1.78277,vn=-.29227,It=-.90649,Ze=1.97294,Br=Ze*It,qr=Ze*$n,Dr=$n*vn-It*ti;function Gs(e){if(e instanceof $e)return new $e(e.h,e.s,e.l,e.opacity);e instanceof C||(e=yn(e));var t=e.r/255,n=e.g/255,r=e.b/255,i=(Dr*r+Br*t-qr*n)/(Dr+Br-qr),o=r-i,s=(Ze*(n-i)-vn*o)/It,a=Math.sqrt(s*s+o*o)/(Ze*i*(1-i)),c=a?Math.atan2(s,o)*Fr-120:NaN;return new $e(c<0?c+360:c,a,i,e.opacity)}function Lt(e,t,n,r){return arguments.length===1?Gs(e):new $e(e,t,n,r??1)}function $e(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}He($e,Lt,Je(ce,{brighter(e){return e=e==null?Pe:Math.pow(Pe,e),new $e(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?ve:Math.pow(ve,e),new $e(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=isNaN(this.h)?0:(this.h+120)*Gr,t=+this.l,n=isNaN(this.s)?0:this.s*t*(1-t),r=Math.cos(e),i=Math.sin(e);return new C(255*(t+n*(ti*r+$n*i)),255*(t+n*(vn*r+It*i)),255*(t+n*(Ze*r)),this.opacity)}}));function oi(e,t,n,r,i){var o=e*e,s=o*e;return((1-3*e+3*o-s)*t+(4-6*o+3*s)*n+(1+3*e+3*o-3*s)*r+s*i)/6}function Fs(e){var t=e.length-1;return function(n){var r=n<=0?n=0:n>=1?(n=1,t-1):Math.floor(n*t),i=e[r],o=e[r+1],s=r>0?e[r-1]:2*i-o,a=r<t-1?e[r+2]:2*o-i;return oi((n-r/t)*t,s,i,o,a)}}function Ks(e){var t=e.length;return function(n){var r=Math.floor(((n%=1)<0?++n:n)*t),i=e[(r+t-1)%t],o=e[r%t],s=e[(r+1)%t],a=e[(r+2)%t];return oi((n-r/t)*t,i,o,s,a)}}var Ut=e=>()=>e;function si(e,t){return function(n){return e+n*t}}function Ys(e,t,n){return e=Math.pow(e,n),t=Math.pow(t,n)-e,n=1/n,function(r){return Math.pow(e+r*t,n)}}function Mn(e,t){var n=t-e;return n?si(e,n>180||n<-180?n-360*Math.round(n/360):n):Ut(isNaN(e)?t:e)}function Ws(e){return(e=+e)==1?I:function(t,n){return n-t?Ys(t,n,e):Ut(isNaN(t)?n:t)}}function I(e,t){var n=t-e;return n?si(e,n):Ut(isNaN(e)?t:e)}var ni=(function e(t){var n=Ws(t);function r(i,o){var s=n((i=et(i)).r,(o=et(o)).r),a=n(i.g,o.g),c=n(i.b,o.b),l=I(i.opacity,o.opacity);return function(u){return i.r=s(u),i.g=a(u),i.b=c(u),i.opacity=l(u),i+""}}return r.gamma=e,r})(1);function ai(e){return function(t){var n=t.length,r=new Array(n),i=new Array(n),o=new Array(n),s,a;for(s=0;s<n;++s)a=et(t[s]),r[s]=a.r||0,i[s]=a.g||0,o[s]=a.b||0;return r=e(r),i=e(i),o=e(o),a.opacity=1,function(c){return a.r=r(c),a.g=i(c),a.b=o(c),a+""}}}var li=ai(Fs),kc=ai(Ks);function Xs(e,t){t||(t=[]);var n=e?Math.min(t.length,e.length):0,r=t.slice(),i;return function(o){for(i=0;i<n;++i)r[i]=e[i]*(1-o)+t[i]*o;return r}}function Qs(e){return ArrayBuffer.isView(e)&&!(e instanceof DataView)}function Zs(e,t){var n=t?t.length:0,r=e?Math.min(n,e.length):0,i=new Array(r),o=new Array(n),s;for(s=0;s<r;++s)i[s]=ie(e[s],t[s]);for(;s<n;++s)o[s]=t[s];return function(a){for(s=0;s<r;++s)o[s]=i[s](a);return o}}function Js(e,t){var n=new Date;return e=+e,t=+t,function(r){return n.setTime(e*(1-r)+t*r),n}}function G(e,t){return e=+e,t=+t,function(n){return e*(1-n)+t*n}}function ea(e,t){var n={},r={},i;(e===null||typeof e!="object")&&(e={}),(t===null||typeof t!="object")&&(t={});for(i in t)i in e?n[i]=ie(e[i],t[i]):r[i]=t[i];return function(o){for(i in n)r[i]=n[i](o);return r}}var kn=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,An=new RegExp(kn.source,"g");function ta(e){return function(){return e}}function na(e){return function(t){return e(t)+""}}function ra(e,t){var n=kn.lastIndex=An.lastIndex=0,r,i,o,s=-1,a=[],c=[];for(e=e+"",t=t+"";(r=kn.exec(e))&&(i=An.exec(t));)(o=i.index)>n&&(o=t.slice(n,o),a[s]?a[s]+=o:a[++s]=o),(r=r[0])===(i=i[0])?a[s]?a[s]+=i:a[++s]=i:(a[++s]=null,c.push({i:s,x:G(r,i)})),n=An.lastIndex;return n<t.length&&(o=t.slice(n),a[s]?a[s]+=o:a[++s]=o),a.length<2?c[0]?na(c[0].x):ta(t):(t=c.length,function(l){for(var u=0,d;u<t;++u)a[(d=c[u]).i]=d.x(l);return a.join("")})}function ie(e,t){var n=typeof t,r;return t==null||n==="boolean"?Ut(t):(n==="number"?G:n==="string"?(r=Ie(t))?(t=r,ni):ra:t instanceof Ie?ni:t instanceof Date?Js:Qs(t)?Xs:Array.isArray(t)?Zs:typeof t.valueOf!="function"&&typeof t.toString!="function"||isNaN(t)?ea:G)(e,t)}function Le(e,t){return e=+e,t=+t,function(n){return Math.round(e*(1-n)+t*n)}}var ri=180/Math.PI,Sn={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function ci(e,t,n,r,i,o){var s,a,c;return(s=Math.sqrt(e*e+t*t))&&(e/=s,t/=s),(c=e*n+t*r)&&(n-=e*c,r-=t*c),(a=Math.sqrt(n*n+r*r))&&(n/=a,r/=a,c/=a),e*r<t*n&&(e=-e,t=-t,c=-c,s=-s),{translateX:i,translateY:o,rotate:Math.atan2(t,e)*ri,skewX:Math.atan(c)*ri,scaleX:s,scaleY:a}}var Ot;function ia(e){let t=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(e+"");return t.isIdentity?Sn:ci(t.a,t.b,t.c,t.d,t.e,t.f)}function oa(e){return e==null||(Ot||(Ot=document.createElementNS("http://www.w3.org/2000/svg","g")),Ot.setAttribute("transform",e),!(e=Ot.transform.baseVal.consolidate()))?Sn:(e=e.matrix,ci(e.a,e.b,e.c,e.d,e.e,e.f))}function ui(e,t,n,r){function i(l){return l.length?l.pop()+" ":""}function o(l,u,d,m,h,g){if(l!==d||u!==m){var p=h.push("translate(",null,t,null,n);g.push({i:p-4,x:G(l,d)},{i:p-2,x:G(u,m)})}else(d||m)&&h.push("translate("+d+t+m+n)}function s(l,u,d,m){l!==u?(l-u>180?u+=360:u-l>180&&(l+=360),m.push({i:d.push(i(d)+"rotate(",null,r)-2,x:G(l,u)})):u&&d.push(i(d)+"rotate("+u+r)}function a(l,u,d,m){l!==u?m.push({i:d.push(i(d)+"skewX(",null,r)-2,x:G(l,u)}):u&&d.push(i(d)+"skewX("+u+r)}function c(l,u,d,m,h,g){if(l!==d||u!==m){var p=h.push(i(h)+"scale(",null,",",null,")");g.push({i:p-4,x:G(l,d)},{i:p-2,x:G(u,m)})}else(d!==1||m!==1)&&h.push(i(h)+"scale("+d+","+m+")")}return function(l,u){var d=[],m=[];return l=e(l),u=e(u),o(l.translateX,l.translateY,u.translateX,u.translateY,d,m),s(l.rotate,u.rotate,d,m),a(l.skewX,u.skewX,d,m),c(l.scaleX,l.scaleY,u.scaleX,u.scaleY,d,m),l=u=null,function(h){for(var g=-1,p=m.length,x;++g<p;)d[(x=m[g]).i]=x.x(h);return d.join("")}}}var Sc=ui(ia,"px, ","px)","deg)"),Mc=ui(oa,", ",")",")"),sa=1e-12;function ii(e){return((e=Math.exp(e))+1/e)/2}function aa(e){return((e=Math.exp(e))-1/e)/2}function la(e){return((e=Math.exp(2*e))-1)/(e+1)}var _c=(function e(t,n,r){function i(o,s){var a=o[0],c=o[1],l=o[2],u=s[0],d=s[1],m=s[2],h=u-a,g=d-c,p=h*h+g*g,x,y;if(p<sa)y=Math.log(m/l)/t,x=function(A){return[a+A*h,c+A*g,l*Math.exp(t*A*y)]};else{var v=Math.sqrt(p),H=(m*m-l*l+r*p)/(2*l*n*v),U=(m*m-l*l-r*p)/(2*m*n*v),Y=Math.log(Math.sqrt(H*H+1)-H),$=Math.log(Math.sqrt(U*U+1)-U);y=($-Y)/t,x=function(A){var M=A*y,E=ii(Y),D=l/(n*v)*(E*la(t*M+Y)-aa(Y));return[a+D*h,c+D*g,l*E/ii(t*M+Y)]}}return x.duration=Math.abs(y)*1e3*t/Math.SQRT2,x}return i.rho=function(o){var s=Math.max(.001,+o),a=s*s,c=a*a;return e(s,a,c)},i})(Math.SQRT2,2,4);function di(e){return function(t,n){var r=e((t=Pt(t)).h,(n=Pt(n)).h),i=I(t.s,n.s),o=I(t.l,n.l),s=I(t.opacity,n.opacity);return function(a){return t.h=r(a),t.s=i(a),t.l=o(a),t.opacity=s(a),t+""}}}var Tc=di(Mn),Ec=di(I);function fi(e){return function(t,n){var r=e((t=Ht(t)).h,(n=Ht(n)).h),i=I(t.c,n.c),o=I(t.l,n.l),s=I(t.opacity,n.opacity);return function(a){return t.h=r(a),t.c=i(a),t.l=o(a),t.opacity=s(a),t+""}}}var Nc=fi(Mn),Rc=fi(I);function mi(e){return(function t(n){n=+n;function r(i,o){var s=e((i=Lt(i)).h,(o=Lt(o)).h),a=I(i.s,o.s),c=I(i.l,o.l),l=I(i.opacity,o.opacity);return function(u){return i.h=s(u),i.s=a(u),i.l=c(Math.pow(u,n)),i.opacity=l(u),i+""}}return r.gamma=t,r})(1)}var Cc=mi(Mn),Pc=mi(I);function hi(e,t){t===void 0&&(t=e,e=ie);for(var n=0,r=t.length-1,i=t[0],o=new Array(r<0?0:r);n<r;)o[n]=e(i,i=t[++n]);return function(s){var a=Math.max(0,Math.min(r-1,Math.floor(s*=r)));return o[a](s-a)}}function _n(e){return function(){return e}}function Tn(e){return+e}var pi=[0,1];function V(e){return e}function En(e,t){return(t-=e=+e)?function(n){return(n-e)/t}:_n(isNaN(t)?NaN:.5)}function ca(e,t){var n;return e>t&&(n=e,e=t,t=n),function(r){return Math.max(e,Math.min(t,r))}}function ua(e,t,n){var r=e[0],i=e[1],o=t[0],s=t[1];return i<r?(r=En(i,r),o=n(s,o)):(r=En(r,i),o=n(o,s)),function(a){return o(r(a))}}function da(e,t,n){var r=Math.min(e.length,t.length)-1,i=new Array(r),o=new Array(r),s=-1;for(e[r]<e[0]&&(e=e.slice().reverse(),t=t.slice().reverse());++s<r;)i[s]=En(e[s],e[s+1]),o[s]=n(t[s],t[s+1]);return function(a){var c=_r(e,a,1,r)-1;return o[c](i[c](a))}}function gi(e,t){return t.domain(e.domain()).range(e.range()).interpolate(e.interpolate()).clamp(e.clamp()).unknown(e.unknown())}function fa(){var e=pi,t=pi,n=ie,r,i,o,s=V,a,c,l;function u(){var m=Math.min(e.length,t.length);return s!==V&&(s=ca(e[0],e[m-1])),a=m>2?da:ua,c=l=null,d}function d(m){return m==null||isNaN(m=+m)?o:(c||(c=a(e.map(r),t,n)))(r(s(m)))}return d.invert=function(m){return s(i((l||(l=a(t,e.map(r),G)))(m)))},d.domain=function(m){return arguments.length?(e=Array.from(m,Tn),u()):e.slice()},d.range=function(m){return arguments.length?(t=Array.from(m),u()):t.slice()},d.rangeRound=function(m){return t=Array.from(m),n=Le,u()},d.clamp=function(m){return arguments.length?(s=m?!0:V,u()):s!==V},d.interpolate=function(m){return arguments.length?(n=m,u()):n},d.unknown=function(m){return arguments.length?(o=m,d):o},function(m,h){return r=m,i=h,u()}}function Nn(){return fa()(V,V)}function ma(e){return Math.abs(e=Math.round(e))>=1e21?e.toLocaleString("en").replace(/,/g,""):e.toString(10)}function Vt(e,t){if(!isFinite(e)||e===0)return null;var n=(e=t?e.toExponential(t-1):e.toExponential()).indexOf("e"),r=e.slice(0,n);return[r.length>1?r[0]+r.slice(2):r,+e.slice(n+1)]}function Oe(e){return e=Vt(Math.abs(e)),e?e[1]:NaN}function ha(e,t){return function(n,r){for(var i=n.length,o=[],s=0,a=e[0],c=0;i>0&&a>0&&(c+a+1>r&&(a=Math.max(1,r-c)),o.push(n.substring(i-=a,i+a)),!((c+=a+1)>r));)a=e[s=(s+1)%e.length];return o.reverse().join(t)}}function pa(e){return function(t){return t.replace(/[0-9]/g,function(n){return e[+n]})}}var ga=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function tt(e){if(!(t=ga.exec(e)))throw new Error("invalid format: "+e);var t;return new Rn({fill:t[1],align:t[2],sign:t[3],symbol:t[4],zero:t[5],width:t[6],comma:t[7],precision:t[8]&&t[8].slice(1),trim:t[9],type:t[10]})}tt.prototype=Rn.prototype;function Rn(e){this.fill=e.fill===void 0?" ":e.fill+"",this.align=e.align===void 0?">":e.align+"",this.sign=e.sign===void 0?"-":e.sign+"",this.symbol=e.symbol===void 0?"":e.symbol+"",this.zero=!!e.zero,this.width=e.width===void 0?void 0:+e.width,this.comma=!!e.comma,this.precision=e.precision===void 0?void 0:+e.precision,this.trim=!!e.trim,this.type=e.type===void 0?"":e.type+""}Rn.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function ba(e){e:for(var t=e.length,n=1,r=-1,i;n<t;++n)switch(e[n]){case".":r=i=n;break;case"0":r===0&&(r=n),i=n;break;default:if(!+e[n])break e;r>0&&(r=0);break}return r>0?e.slice(0,r)+e.slice(i+1):e}var Bt;function xa(e,t){var n=Vt(e,t);if(!n)return Bt=void 0,e.toPrecision(t);var r=n[0],i=n[1],o=i-(Bt=Math.max(-8,Math.min(8,Math.floor(i/3)))*3)+1,s=r.length;return o===s?r:o>s?r+new Array(o-s+1).join("0"):o>0?r.slice(0,o)+"."+r.slice(o):"0."+new Array(1-o).join("0")+Vt(e,Math.max(0,t+o-1))[0]}function bi(e,t){var n=Vt(e,t);if(!n)return e+"";var r=n[0],i=n[1];return i<0?"0."+new Array(-i).join("0")+r:r.length>i+1?r.slice(0,i+1)+"."+r.slice(i+1):r+new Array(i-r.length+2).join("0")}var xi={"%":(e,t)=>(e*100).toFixed(t),b:e=>Math.round(e).toString(2),c:e=>e+"",d:ma,e:(e,t)=>e.toExponential(t),f:(e,t)=>e.toFixed(t),g:(e,t)=>e.toPrecision(t),o:e=>Math.round(e).toString(8),p:(e,t)=>bi(e*100,t),r:bi,s:xa,X:e=>Math.round(e).toString(16).toUpperCase(),x:e=>Math.round(e).toString(16)};function wi(e){return e}var yi=Array.prototype.map,$i=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function wa(e){var t=e.grouping===void 0||e.thousands===void 0?wi:ha(yi.call(e.grouping,Number),e.thousands+""),n=e.currency===void 0?"":e.currency[0]+"",r=e.currency===void 0?"":e.currency[1]+"",i=e.decimal===void 0?".":e.decimal+"",o=e.numerals===void 0?wi:pa(yi.call(e.numerals,String)),s=e.percent===void 0?"%":e.percent+"",a=e.minus===void 0?"−":e.minus+"",c=e.nan===void 0?"NaN":e.nan+"";function l(d,m){d=tt(d);var h=d.fill,g=d.align,p=d.sign,x=d.symbol,y=d.zero,v=d.width,H=d.comma,U=d.precision,Y=d.trim,$=d.type;$==="n"?(H=!0,$="g"):xi[$]||(U===void 0&&(U=12),Y=!0,$="g"),(y||h==="0"&&g==="=")&&(y=!0,h="0",g="=");var A=(m&&m.prefix!==void 0?m.prefix:"")+(x==="$"?n:x==="#"&&/[boxX]/.test($)?"0"+$.toLowerCase():""),M=(x==="$"?r:/[%p]/.test($)?s:"")+(m&&m.suffix!==void 0?m.suffix:""),E=xi[$],D=/[defgprs%]/.test($);U=U===void 0?6:/[gprs]/.test($)?Math.max(1,Math.min(21,U)):Math.max(0,Math.min(20,U));function je(k){var J=A,z=M,_e,ir,mt;if($==="c")z=E(k)+z,k="";else{k=+k;var ht=k<0||1/k<0;if(k=isNaN(k)?c:E(Math.abs(k),U),Y&&(k=ba(k)),ht&&+k==0&&p!=="+"&&(ht=!1),J=(ht?p==="("?p:a:p==="-"||p==="("?"":p)+J,z=($==="s"&&!isNaN(k)&&Bt!==void 0?$i[8+Bt/3]:"")+z+(ht&&p==="("?")":""),D){for(_e=-1,ir=k.length;++_e<ir;)if(mt=k.charCodeAt(_e),48>mt||mt>57){z=(mt===46?i+k.slice(_e+1):k.slice(_e))+z,k=k.slice(0,_e);break}}}H&&!y&&(k=t(k,1/0));var pt=J.length+k.length+z.length,ee=pt<v?new Array(v-pt+1).join(h):"";switch(H&&y&&(k=t(ee+k,ee.length?v-z.length:1/0),ee=""),g){case"<":k=J+k+z+ee;break;case"=":k=J+ee+k+z;break;case"^":k=ee.slice(0,pt=ee.length>>1)+J+k+z+ee.slice(pt);break;default:k=ee+J+k+z;break}return o(k)}return je.toString=function(){return d+""},je}function u(d,m){var h=Math.max(-8,Math.min(8,Math.floor(Oe(m)/3)))*3,g=Math.pow(10,-h),p=l((d=tt(d),d.type="f",d),{suffix:$i[8+h/3]});return function(x){return p(g*x)}}return{format:l,formatPrefix:u}}var zt,Cn,Pn;ya({thousands:",",grouping:[3],currency:["$",""]});function ya(e){return zt=wa(e),Cn=zt.format,Pn=zt.formatPrefix,zt}function vi(e){return Math.max(0,-Oe(Math.abs(e)))}function Ai(e,t){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(Oe(t)/3)))*3-Oe(Math.abs(e)))}function ki(e,t){return e=Math.abs(e),t=Math.abs(t)-e,Math.max(0,Oe(t)-Oe(e))+1}function Hn(e,t,n,r){var i=Rr(e,t,n),o;switch(r=tt(r??",f"),r.type){case"s":{var s=Math.max(Math.abs(e),Math.abs(t));return r.precision==null&&!isNaN(o=Ai(i,s))&&(r.precision=o),Pn(r,s)}case"":case"e":case"g":case"p":case"r":{r.precision==null&&!isNaN(o=ki(i,Math.max(Math.abs(e),Math.abs(t))))&&(r.precision=o-(r.type==="e"));break}case"f":case"%":{r.precision==null&&!isNaN(o=vi(i))&&(r.precision=o-(r.type==="%")*2);break}}return Cn(r)}function nt(e){var t=e.domain;return e.ticks=function(n){var r=t();return Nr(r[0],r[r.length-1],n??10)},e.tickFormat=function(n,r){var i=t();return Hn(i[0],i[i.length-1],n??10,r)},e.nice=function(n){n==null&&(n=10);var r=t(),i=0,o=r.length-1,s=r[i],a=r[o],c,l,u=10;for(a<s&&(l=s,s=a,a=l,l=i,i=o,o=l);u-- >0;){if(l=_t(s,a,n),l===c)return r[i]=s,r[o]=a,t(r);if(l>0)s=Math.floor(s/l)*l,a=Math.ceil(a/l)*l;else if(l<0)s=Math.ceil(s*l)/l,a=Math.floor(a*l)/l;else break;c=l}return e},e}function F(){var e=Nn();return e.copy=function(){return gi(e,F())},Cr.apply(e,arguments),nt(e)}function $a(){var e=0,t=1,n,r,i,o,s=V,a=!1,c;function l(d){return d==null||isNaN(d=+d)?c:s(i===0?.5:(d=(o(d)-n)*i,a?Math.max(0,Math.min(1,d)):d))}l.domain=function(d){return arguments.length?([e,t]=d,n=o(e=+e),r=o(t=+t),i=n===r?0:1/(r-n),l):[e,t]},l.clamp=function(d){return arguments.length?(a=!!d,l):a},l.interpolator=function(d){return arguments.length?(s=d,l):s};function u(d){return function(m){var h,g;return arguments.length?([h,g]=m,s=d(h,g),l):[s(0),s(1)]}}return l.range=u(ie),l.rangeRound=u(Le),l.unknown=function(d){return arguments.length?(c=d,l):c},function(d){return o=d,n=d(e),r=d(t),i=n===r?0:1/(r-n),l}}function In(e,t){return t.domain(e.domain()).interpolator(e.interpolator()).clamp(e.clamp()).unknown(e.unknown())}function rt(){var e=nt($a()(V));return e.copy=function(){return In(e,rt())},Tt.apply(e,arguments)}function va(){var e=0,t=.5,n=1,r=1,i,o,s,a,c,l=V,u,d=!1,m;function h(p){return isNaN(p=+p)?m:(p=.5+((p=+u(p))-o)*(r*p<r*o?a:c),l(d?Math.max(0,Math.min(1,p)):p))}h.domain=function(p){return arguments.length?([e,t,n]=p,i=u(e=+e),o=u(t=+t),s=u(n=+n),a=i===o?0:.5/(o-i),c=o===s?0:.5/(s-o),r=o<i?-1:1,h):[e,t,n]},h.clamp=function(p){return arguments.length?(d=!!p,h):d},h.interpolator=function(p){return arguments.length?(l=p,h):l};function g(p){return function(x){var y,v,H;return arguments.length?([y,v,H]=x,l=hi(p,[y,v,H]),h):[l(0),l(.5),l(1)]}}return h.range=g(ie),h.rangeRound=g(Le),h.unknown=function(p){return arguments.length?(m=p,h):m},function(p){return u=p,i=p(e),o=p(t),s=p(n),a=i===o?0:.5/(o-i),c=o===s?0:.5/(s-o),r=o<i?-1:1,h}}function it(){var e=nt(va()(V));return e.copy=function(){return In(e,it())},Tt.apply(e,arguments)}var Aa={"<s>":"‹start›","</s>":"‹end›","∅":"‹empty slot›"};function L(e){return Aa[e]??Si(e.replaceAll("▁","·"))}function Si(e){return/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(e)?e:Array.from(e,t=>`U+${t.codePointAt(0)?.toString(16).padStart(4,"0")}`).join(" ")||"‹empty›"}function B(e,t,n){let{spans:r}=t,i=Array.from(t.text),o=new Set(t.word_pieces.flat()),s=l=>!o.has(l)&&r[l][0]===r[l][1],a=t.pieces.map((l,u)=>({label:L(l),positions:[u],special:s(u),span:r[u]}));if(n==="pieces")return{name:e,text:i,units:a};let c=t.words.map((l,u)=>({label:Si(i.slice(...l).join("")),positions:t.word_pieces[u],special:!1,span:l}));return{name:e,text:i,units:[...c,...a.filter((l,u)=>!o.has(u))]}}function ka(e,t,n){let r=B("target",e,t),i=n?["∅","<s>"]:["<s>"],o=r.units.flatMap(a=>{let c=a.positions.map(l=>l+i.length).filter(l=>l<e.pieces.length);return c.length?[{...a,positions:c}]:[]}),s=i.slice(0,e.pieces.length).map((a,c)=>({label:L(a),positions:[c],special:!0,span:null}));return{...r,name:"prefix",units:[...s,...o]}}function Sa(e){let t=Array.from({length:e.rows*e.columns},(n,r)=>({label:`row ${Math.floor(r/e.columns)+1}, column ${r%e.columns+1}`,positions:[r],special:!1,span:null}));return{name:"image",text:[],units:t}}function Ln(e,t,n){let{kind:r,blank_memory:i}=t,o=B("target",e.target,n);if(r==="self")return[o,ka(e.target,n,i)];if(e.source===null)throw new Error(`The record is damaged: it has ${r} attention but no source.`);let s=e.source.kind==="image"?Sa(e.source):B("source",e.source,n);return r==="encoder"?[s,s]:[o,s]}function Mi(e,t,n,r,i){let[o,s]=Ln(e,t,i),a=1+Math.max(...s.units.flatMap(m=>m.positions)),c=oe(e.numbers(t.weights),t.heads,n),l=c.length/a,u=new Float32Array(o.units.length*s.units.length);o.units.forEach((m,h)=>{let g=m.positions.map(p=>p+r).filter(p=>p<l);s.units.forEach((p,x)=>{let y=0;for(let v of g)for(let H of p.positions)y+=c[v*a+H];u[h*s.units.length+x]=y/g.length})});let d=s.units.length;return{rows:o,columns:s,weights:u,row:m=>u.subarray(m*d,(m+1)*d)}}function oe(e,t,n){let r=e.length/t;if(typeof n=="number")return e.subarray(n*r,(n+1)*r);let i=new Float32Array(r);for(let o=0;o<t;o++)for(let s=0;s<r;s++){let a=e[o*r+s];i[s]=n==="mean"?i[s]+a/t:Math.max(i[s],a)}return i}function ot(e,t){return Math.max(0,e.units.findIndex(n=>n.positions.includes(t)))}function _i(e,t){let n=t.length/e.length,r=new Array(n).fill(0);for(let i=0;i<e.length;i++)for(let o=0;o<n;o++)r[o]+=e[i]*t[i*n+o];return r}function On(e,t=1){let n=Array.from(e),r=Math.max(...n),i=n.map(s=>Math.exp((s-r)/t)),o=i.reduce((s,a)=>s+a,0);return i.map(s=>s/o)}function Ma(e,t=1){let n=Array.from(e,s=>s/t),r=[...n].sort((s,a)=>a-s),i=0,o=0;for(let s=1;s<=r.length&&(i+=r[s-1],1+s*r[s-1]>i);s++)o=(i-1)/s;return n.map(s=>Math.max(0,s-o))}function _a(e){let t=N(e);return Array.from(e,(n,r)=>r===t?1:0)}function Ta(e){let t=Array.from(e,r=>r>Number.NEGATIVE_INFINITY?1:0),n=t.reduce((r,i)=>r+i,0);return t.map(r=>r/n)}function Ti(e,t,n){return e==="hard"?_a(t):e==="uniform"?Ta(t):(e==="sparsemax"?Ma:On)(t,n)}function Ei(e,t,n,r){return Array.from(e,(i,o)=>r?r[o]*Math.tanh(i+t[o]):n*i*t[o])}function N(e){let t=0;for(let n=1;n<e.length;n++)e[n]>e[t]&&(t=n);return t}function se(e){return Array.from(e,(t,n)=>n).sort((t,n)=>e[n]-e[t])}function st(e){let t=0;for(let n=0;n<e.length;n++)e[n]>0&&(t-=e[n]*Math.log2(e[n]));return t}function Ni(e,t){let n=0;for(let r=0;r<e.length;r++)n+=Math.abs(e[r]-t[r]);return n/2}function Ri(e,t){return 2*[...e].filter(r=>t.has(r)).length/Math.max(1,e.size+t.size)}function Pi(e,t){let r={...{view:t,record:0,attention:"",head:"mean",shift:0,userSelected:!1,units:"words",specialTokens:!0,row:0,column:-1,by:"row",stage:0,temperature:1,playing:!1,pace:2,sort:"layer",node:null,pruned:!1,intervention:0,grid:!1},...q(e[0])};return{...r,row:Ea(e[0],r)}}function Ea(e,t){let n=P(e,t.attention);if(n?.kind!=="cross"||e.source?.kind!=="text")return 0;let{rows:r,columns:i,row:o}=ze(e,n,t.head,t.shift,"words"),s=r.units.map(({label:l,special:u})=>u?0:Na(l)),a=Math.min(4,Math.max(...s)),c=r.units.map((l,u)=>{if(!s[u]||s[u]<a)return-1;let d=N(o(u)),m=Math.abs(d/i.units.length-u/r.units.length);return i.units[d].special?0:o(u)[d]*m||0});return r.units[N(c)]?.positions[0]??0}function Na(e){return e.match(/[\p{L}\p{N}]/gu)?.length??0}function q(e){let{alignment_head:t,head_trace:n,attentions:r}=e,i=r.filter(({kind:c})=>c==="cross").at(-1)??r.at(-1),o=t?.attention??n?.attention??i?.name??"",a=P(e,o)?.heads===1?0:(t??n)?.head??"mean";return{attention:o,head:a,shift:t?.shift??0,userSelected:!1}}function P(e,t){return e.attentions.find(n=>n.name===t)}function Ue({record:e,selection:t}){let n=P(e,t.attention);if(!n)return null;let r=n.kind==="cross"?t.shift:0;return ze(e,n,t.head,r,t.units)}function ue(e,t){let n=ot(e.rows,t.row),r=t.column<0?N(e.row(n)):ot(e.columns,t.column);return{row:n,column:r}}var Ci=new WeakMap;function ze(e,t,n,r,i){let o=Ci.get(e)??new Map;Ci.set(e,o);let s=`${t.name} ${n} ${r} ${i}`,a=o.get(s)??Mi(e,t,n,r,i);return o.set(s,a),a}var Hi="Attention weights do not explain why the model chose a word.",Ve={cross:"Cross-attention",self:"Decoder self-attention",encoder:"Encoder self-attention"},Un=["at output","at next input (shifted by one)"];function w(e){return f`<data class="number" data-value=${e} value=${e}>${T(e)}</data>`}function T(e){if(Number.isNaN(e))return"–";if(e===Number.NEGATIVE_INFINITY)return"−∞";let t=e.toFixed(3).replace("-","−");return t==="−0.000"?t.slice(1):t}function _(e){return f`<bdi class="token" dir="auto">${e}</bdi>`}function Be(e,{kind:t,layer:n,heads:r},{head:i,shift:o}){let s=new Set(e.attentions.filter(c=>c.kind===t).map(c=>c.layer)).size,a=[`layer ${n+1} of ${s}`];return r===1?a.push("one head"):typeof i=="number"?a.push(`head ${i+1} of ${r}`):a.push(`${i==="mean"?"mean":"maximum"} of ${r} heads`),t==="cross"&&a.push(Un[o]),`${Ve[t]}: ${a.join(", ")}`}function Ii(e,t){let n=e.alignment_head?.agreement,{attention:r,head:i,shift:o}=q(e),s=r===t.attention&&i===t.head&&o===t.shift;return n===void 0||!s?t.userSelected?"selected by you":"":n?f`the alignment head: its links agree best with a dictionary (F1 ${w(n)})`:"the alignment head of the model bundle"}function qt(e,t){let n=e.row(t),r=_(e.rows.units[t].label);if(Number.isNaN(n[0]))return f`${r} has no weights at this step: no input follows it.`;let i=a=>_(e.columns.units[a].label),[o,s]=se(n);return f`${r} attends most to ${i(o)} ${w(n[o])}${s===void 0||n[s]<.005?"":f`, then to ${i(s)} ${w(n[s])}`}`}function Dt(e,t){let n=e.rows.units.map((s,a)=>e.row(a)[t]||0),r=s=>_(e.rows.units[s].label),[i,o]=se(n);return f`${_(e.columns.units[t].label)} gets the highest weight from ${r(i)}
  ${w(n[i])}${o===void 0||n[o]<.005?"":f`, then from ${r(o)} ${w(n[o])}`}`}function Li({selection:e,change:t},n,r){let{units:i,scores:o,weights:s,norms:a}=n,c=s.map((x,y)=>x*a[y]),l=Array.from(o??[]).filter(Number.isFinite),u=F().domain([Math.min(0,...l),Math.max(0,...l)]).range([0,100]),d=F().domain([0,Math.max(...c)||1]).range([0,100]),m=F().domain([0,Math.max(1,...s)]).range([0,100]),h=x=>t({column:x},`[data-position="${x}"]`),g=x=>{let y={ArrowDown:1,ArrowUp:-1}[x.key],v=y===void 0?-1:r+y;v<0||v>=i.length||(x.preventDefault(),h(v))},p=x=>e.stage===x?"current":"";return f`<div class="scroll tall"><table class="bars" data-testid="positions">
    <caption class="hidden">Score, weight and contribution of each position</caption>
    <colgroup><col class="name"></colgroup>
    <thead><tr><th scope="col"><span class="hidden">position</span></th>
      <th scope="col" class=${p(1)}>score</th><th scope="col" class=${p(2)}>weight</th>
      <th scope="col" class=${p(3)}>weight × ‖value‖</th></tr></thead>
    <tbody @keydown=${g}>
      ${i.map(({label:x,special:y},v)=>f`<tr class=${v===r?"here":""}>
          <th scope="row"><button data-position=${v} tabindex=${v===r?0:-1} title=${x}
            aria-pressed=${v===r} ?data-special=${y} @click=${()=>h(v)}><bdi dir="auto">${x}</bdi></button></th>
          <td class=${p(1)} data-testid="score">${o===null?"–":jt(u(0),u(Number.isFinite(o[v])?o[v]:0),o[v])}</td>
          <td class=${p(2)} data-testid="weight">${jt(0,m(s[v]),s[v])}</td>
          <td class=${p(3)} data-testid="contribution">${jt(0,d(c[v]),c[v])}</td>
        </tr>`)}
    </tbody></table></div>`}function Oi(e,t){let n=e.target.pieces[t],{top:r,logp:i}=e.steps[t],o=r.some(([s])=>s===n)?r:[...r,[n,i]];return f`<table class="bars outcome" data-testid="output">
    <caption class="hidden">The most likely pieces</caption>
    <colgroup><col class="name"></colgroup>
    <tbody>${o.map(([s,a])=>f`<tr class=${s===n?"target-row":""} data-piece=${s}>
        <th scope="row">${_(L(s))}${s===n?f` <span class="soft small">output</span>`:""}</th>
        <td data-testid="probability">${jt(0,100*Math.exp(a),Math.exp(a))}</td></tr>`)}</tbody></table>`}function jt(e,t,n){let[r,i]=e<t?[e,t]:[t,e];return f`<span class="bar"><i .style=${`margin-inline-start:${r}%;width:${i-r}%`}></i></span>${w(n)}`}var Ui=S`
  .outcome { max-width: 44rem; }
  .tall { max-height: 34rem; }
  .bars { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: 0.875rem; }
  .bars thead th {
    text-align: start; font-weight: 500; color: var(--soft); padding: 0 0.5rem 0.25rem;
    position: sticky; top: 0; background: var(--paper); z-index: 1;
  }
  .bars thead .current {
    color: var(--accent); font-weight: 650; box-shadow: inset 0 -2px var(--accent);
  }
  .bars td { padding: 0.1rem 0.5rem; vertical-align: middle; }
  .bars tbody th {
    text-align: start; font-weight: 400; padding: 0.1rem 0.25rem 0.1rem 0; overflow: hidden;
    text-overflow: ellipsis; white-space: nowrap;
  }
  .bars .name { width: 8.5rem; }
  .bars th button {
    border-color: transparent; padding: 0 0.35rem; min-height: 1.5rem; width: 100%;
    text-align: start; background: none; overflow: hidden; text-overflow: ellipsis;
    white-space: nowrap; display: block;
  }
  .bars th button:focus-visible { outline-offset: -2px; }
  .bars tr.here button { border-color: var(--accent); background: var(--accent-soft); }
  .bars button[data-special] { color: var(--soft); }
  .bars td .number {
    font-size: 0.8125rem; float: inline-end; width: 3.4rem; text-align: end; line-height: 1.1rem;
  }
  .bar {
    display: inline-block; width: calc(100% - 3.6rem); height: 0.7rem; vertical-align: middle;
  }
  .bar i {
    display: block; height: 100%; min-width: 1px; background: var(--bar); border-radius: 2px;
    transition: width 0.35s ease, margin 0.35s ease;
  }
  .target-row .bar i { background: var(--mark); }
  @media (forced-colors: active) { .bar i { background: CanvasText; forced-color-adjust: none; } }
  @media (max-width: 36rem) { .bars .name { width: 6rem; } .bars td { padding-inline: 0.2rem; } }
`;function Ra(e){var t=0,n=e.children,r=n&&n.length;if(!r)t=1;else for(;--r>=0;)t+=n[r].value;e.value=t}function zi(){return this.eachAfter(Ra)}function Vi(e,t){let n=-1;for(let r of this)e.call(t,r,++n,this);return this}function Bi(e,t){for(var n=this,r=[n],i,o,s=-1;n=r.pop();)if(e.call(t,n,++s,this),i=n.children)for(o=i.length-1;o>=0;--o)r.push(i[o]);return this}function qi(e,t){for(var n=this,r=[n],i=[],o,s,a,c=-1;n=r.pop();)if(i.push(n),o=n.children)for(s=0,a=o.length;s<a;++s)r.push(o[s]);for(;n=i.pop();)e.call(t,n,++c,this);return this}function Di(e,t){let n=-1;for(let r of this)if(e.call(t,r,++n,this))return r}function ji(e){return this.eachAfter(function(t){for(var n=+e(t.data)||0,r=t.children,i=r&&r.length;--i>=0;)n+=r[i].value;t.value=n})}function Gi(e){return this.eachBefore(function(t){t.children&&t.children.sort(e)})}function Fi(e){for(var t=this,n=Ca(t,e),r=[t];t!==n;)t=t.parent,r.push(t);for(var i=r.length;e!==n;)r.splice(i,0,e),e=e.parent;return r}function Ca(e,t){if(e===t)return e;var n=e.ancestors(),r=t.ancestors(),i=null;for(e=n.pop(),t=r.pop();e===t;)i=e,e=n.pop(),t=r.pop();return i}function Ki(){for(var e=this,t=[e];e=e.parent;)t.push(e);return t}function Yi(){return Array.from(this)}function Wi(){var e=[];return this.eachBefore(function(t){t.children||e.push(t)}),e}function Xi(){var e=this,t=[];return e.each(function(n){n!==e&&t.push({source:n.parent,target:n})}),t}function*Qi(){var e=this,t,n=[e],r,i,o;do for(t=n.reverse(),n=[];e=t.pop();)if(yield e,r=e.children)for(i=0,o=r.length;i<o;++i)n.push(r[i]);while(n.length)}function qe(e,t){e instanceof Map?(e=[void 0,e],t===void 0&&(t=Ia)):t===void 0&&(t=Ha);for(var n=new at(e),r,i=[n],o,s,a,c;r=i.pop();)if((s=t(r.data))&&(c=(s=Array.from(s)).length))for(r.children=s,a=c-1;a>=0;--a)i.push(o=s[a]=new at(s[a])),o.parent=r,o.depth=r.depth+1;return n.eachBefore(Oa)}function Pa(){return qe(this).eachBefore(La)}function Ha(e){return e.children}function Ia(e){return Array.isArray(e)?e[1]:null}function La(e){e.data.value!==void 0&&(e.value=e.data.value),e.data=e.data.data}function Oa(e){var t=0;do e.height=t;while((e=e.parent)&&e.height<++t)}function at(e){this.data=e,this.depth=this.height=0,this.parent=null}at.prototype=qe.prototype={constructor:at,count:zi,each:Vi,eachAfter:qi,eachBefore:Bi,find:Di,sum:ji,sort:Gi,path:Fi,ancestors:Ki,descendants:Yi,leaves:Wi,links:Xi,copy:Pa,[Symbol.iterator]:Qi};function ae(e){return f`<p class="placeholder" data-testid="placeholder">${e}</p>`}function Q(e){let t=e.summary===null?0:e.numbers(e.summary).length;return ae(f`<strong>${e.model.name}</strong> has no attention${t?f`. The decoder gets the source only as one vector of ${t} numbers, before its first
          word`:""}. The beam search and intervention views work if the record has their data.`)}var Ua=112,za=76,Va=600,Ba=20,zn=34,qa=24,De=-1;function Zi(e){let{record:t,selection:n,change:r}=e,{beam:i}=t;if(!i)return ae(f`This record has no beam search: the target was ${t.created.search==="given"?"given by the user":`found by ${t.created.search??"another search"}`}.`);let o=e.width<Va?za:Ua,s=Da(i,n.pruned,o+Ba),a=i.status.filter(u=>u==="pruned").length,c=i.best.at(-1)??De,l=s.some(({data:u})=>u.node===n.node)?n.node??c:c;return f`<div class="controls">
      <label class="inline"><input type="checkbox" data-testid="pruned" .checked=${n.pruned}
        @change=${()=>r({pruned:!n.pruned})}> show ${a} pruned candidates</label>
      <p class="note">Beam size ${i.beam_size}. Score = log-probability / length<sup>α</sup> with the length
        penalty α = ${i.length_penalty}, which keeps the search from preferring short outputs.</p>
    </div>
    ${Ka(e,i,l)} ${ja(e,i,s,l,o)}
    <p class="legend small soft"><span><i class="node best key-node"></i> best path</span>
      <span><i class="node key-node"></i> kept</span>
      <span><i class="node finished key-node"></i> finished</span>
      ${n.pruned?f`<span><i class="node pruned key-node"></i> pruned</span>`:f`<span>+3: number of pruned candidates</span>`}</p>`}function Da(e,t,n){let r=[De,...e.parents.keys()].map(l=>({node:l,children:[],hidden:0}));e.parents.forEach((l,u)=>{let d=r[l+1];e.status[u]==="pruned"&&!t?d.hidden++:d.children.push(r[u+1])});let i=new Set(e.best),o=({node:l})=>i.has(l)?Number.POSITIVE_INFINITY:e.totals[l];for(let{children:l}of r)l.sort((u,d)=>o(u)<o(d)?1:-1);let s=qe(r[0]),a=0,c=l=>{let u=a;l.children?.forEach(c),l.children||a++,Object.assign(l,{x:u*zn,y:l.depth*n})};return c(s),s.descendants()}function ja(e,t,n,r,i){let o=Math.max(...n.map(h=>h.x))+zn,s=Math.max(...n.map(h=>h.y))+i+24,a=new Set([De,...t.best]),c=({data:h})=>a.has(h.node),l=h=>h.x+zn/2,u=n.filter(h=>h.parent).sort((h,g)=>Number(c(h))-Number(c(g))).map(h=>{let g=h.parent,[p,x,y,v]=[g.y+i,l(g),h.y,l(h)];return yr`<path class=${c(h)?"best":""} d=${`M${p} ${x}C${p+12} ${x} ${y-12} ${v} ${y} ${v}`} />`}),d=(h,g=!0)=>e.change({node:h},g?`[data-node="${h}"]`:void 0),m=h=>{let g=Ga(h.key,n,r);g!==void 0&&(h.preventDefault(),d(g))};return f`<div class="scroll beam" data-testid="beam">
    <div .style=${`position:relative;width:${s}px;height:${o}px`}>
      <svg aria-hidden="true" width=${s} height=${o}>${u}</svg>
      <div role="tree" aria-label="beam search hypotheses" @keydown=${m}>
        ${n.map(h=>{let{node:g,hidden:p}=h.data,x=g===De,y=x?"kept":t.status[g],v=L(x?"<s>":t.pieces[g]),H=x?1:Math.exp(t.logps[g]);return f`<div role="treeitem" class="node ${y} ${c(h)?"best":""}" data-testid="node"
            data-node=${g} data-status=${y} data-best=${c(h)} tabindex=${g===r?0:-1}
            aria-selected=${g===r} aria-level=${h.depth+1} title=${v}
            @click=${()=>d(g)} .style=${`left:${h.y}px;top:${l(h)-qa/2}px;width:${i}px`}>
            <bdi dir="auto">${v}</bdi>${x?b:f`<small>${w(H)}</small>`}
            ${p?f`<span class="pruned-count">+${p}<span class="hidden"> pruned</span></span>`:b}
            <span class="hidden">${x?"":y}${c(h)?", on the best path":""}</span></div>`})}
      </div>
    </div>
  </div>`}function Ga(e,t,n){let r=t.find(({data:a})=>a.node===n);if(!r)return;let i=t.filter(({depth:a})=>a===r.depth).sort((a,c)=>a.x-c.x),o=i.indexOf(r);return{ArrowLeft:r.parent,ArrowRight:r.children?.[0],ArrowUp:i[o-1],ArrowDown:i[o+1],Home:t[0],End:t.reduce((a,c)=>c.depth>a.depth?c:a)}[e]?.data.node}var Fa={kept:"is extended at the next step",pruned:"is pruned: other candidates score higher",finished:"is a finished hypothesis"};function Ka(e,t,n){if(n===De)return f`<p class="summary" data-testid="summary">The start of the search, before the first piece.</p>`;let r=[];for(let l=n;l!==De;l=t.parents[l])r.unshift(l);let o=r.map(l=>t.pieces[l]).filter(l=>l!=="</s>").join("").replaceAll("▁"," ").trim()||"The empty output",s=t.best.indexOf(n),a=t.totals[n],c=()=>e.change({view:"trace",row:s,column:-1,stage:0},"#tab-trace");return f`<div class="detail" data-testid="detail">
    <p class="summary" data-testid="summary">${_(o)} ${Fa[t.status[n]]}.</p>
    <p class="note">log-probability of the last piece ${w(t.logps[n])}; total ${w(a)};
      score at length ${r.length}: ${w(a/r.length**t.length_penalty)}
      ${s>=0?f`<button data-testid="to-trace" @click=${c}>
              Show this step</button>`:b}</p>
  </div>`}var Ji=S`
  .beam { max-height: 75vh; border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem; }
  .beam svg { position: absolute; inset: 0; }
  .beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
  .beam path.best { stroke: var(--accent); stroke-width: 3; }
  .node {
    position: absolute; height: 24px; display: flex; gap: 0.3rem; align-items: center;
    padding: 0 0.4rem;
    border: 1px solid var(--line); border-radius: 5px; background: var(--paper);
    font-size: 0.8125rem; cursor: pointer;
  }
  .node bdi {
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 1; min-width: 0;
  }
  .node .number { font-weight: 400; }
  .node small { color: var(--soft); font-size: 0.6875rem; }
  .node.best { border-color: var(--accent); background: var(--accent-soft); }
  .node.best small { color: var(--ink); }
  .node.finished { border-radius: 12px; border-width: 2px; border-color: var(--soft); }
  .node.finished.best { border-color: var(--accent); }
  .node.pruned { border-style: dashed; color: var(--soft); }
  .node[aria-selected="true"] { box-shadow: 0 0 0 2px var(--accent); }
  .pruned-count {
    position: absolute; right: 2px; top: -11px; font-size: 10px; line-height: 10px;
    color: var(--soft);
  }
  .key-node { position: static; width: 1.5rem; height: 0.9rem; cursor: default; }
  .detail { display: grid; gap: 0.25rem; }
`;function eo(e){for(var t=e.length/6|0,n=new Array(t),r=0;r<t;)n[r]="#"+e.slice(r*6,++r*6);return n}var to=e=>li(e[e.length-1]);var no=new Array(3).concat("998ec3f7f7f7f1a340","5e3c99b2abd2fdb863e66101","5e3c99b2abd2f7f7f7fdb863e66101","542788998ec3d8daebfee0b6f1a340b35806","542788998ec3d8daebf7f7f7fee0b6f1a340b35806","5427888073acb2abd2d8daebfee0b6fdb863e08214b35806","5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b35806","2d004b5427888073acb2abd2d8daebfee0b6fdb863e08214b358067f3b08","2d004b5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b358067f3b08").map(eo),Vn=to(no);function Bn(e){return e=Math.max(0,Math.min(1,e)),"rgb("+Math.max(0,Math.min(255,Math.round(-4.54-e*(35.34-e*(2381.73-e*(6402.7-e*(7024.72-e*2710.57)))))))+", "+Math.max(0,Math.min(255,Math.round(32.49+e*(170.73+e*(52.82-e*(131.46-e*(176.58-e*67.37)))))))+", "+Math.max(0,Math.min(255,Math.round(81.24+e*(442.36-e*(2482.43-e*(6167.24-e*(6614.94-e*2475.67)))))))+")"}var K=rt(Bn).clamp(!0),ro=matchMedia("(prefers-color-scheme: dark)"),Ya=[F().domain([0,1]).range(["#ffffff","#00306f"]).clamp(!0),F().domain([0,1]).range(["#14181e","#f2dc4a"]).clamp(!0)];function qn(e){return Ya[ro.matches?1:0](e)}function Gt(e){return ro.matches?F().domain([-(e||1),0,e||1]).range(["#f5a54a","#232a33","#b8a1f5"]).clamp(!0):it(t=>Vn(1-t)).domain([-(e||1),0,e||1]).clamp(!0)}function lt(e){return Wa(Dn(e))>.179?"#000000":"#ffffff"}function Ae(e){if(!(e>=.005))return"";let t=qn(e);return`background:${t};color:${e<.3?"var(--ink)":lt(t)}`}function Dn(e){let t=/^#(..)(..)(..)$/.exec(e);return t?t.slice(1).map(n=>Number.parseInt(n,16)):(e.match(/[\d.]+/g)??[]).slice(0,3).map(Number)}function Wa(e){let[t,n,r]=e.map(i=>{let o=i/255;return o<=.04045?o/12.92:((o+.055)/1.055)**2.4});return .2126*t+.7152*n+.0722*r}var{I:Rd}=Ar;var io=e=>e.strings===void 0;var oo={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},jn=e=>(...t)=>({_$litDirective$:e,values:t}),Ft=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,r){this._$Ct=t,this._$AM=n,this._$Ci=r}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var ct=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let r of n)r._$AO?.(t,!1),ct(r,t);return!0},Kt=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},so=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Za(t)}};function Xa(e){this._$AN!==void 0?(Kt(this),this._$AM=e,so(this)):this._$AM=e}function Qa(e,t=!1,n=0){let r=this._$AH,i=this._$AN;if(i!==void 0&&i.size!==0)if(t)if(Array.isArray(r))for(let o=n;o<r.length;o++)ct(r[o],!1),Kt(r[o]);else r!=null&&(ct(r,!1),Kt(r));else ct(this,e)}var Za=e=>{e.type==oo.CHILD&&(e._$AP??=Qa,e._$AQ??=Xa)},Yt=class extends Ft{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,r){super._$AT(t,n,r),so(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(ct(this,t),Kt(this))}setValue(t){if(io(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var Gn=new WeakMap,ao=jn(class extends Yt{render(e){return b}update(e,[t]){let n=t!==this.G;return n&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),b}rt(e){if(this.G!==void 0)if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=Gn.get(t);n===void 0&&(n=new WeakMap,Gn.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?Gn.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});var ut=128;function dt(e){return ao(t=>{t&&e(t)})}function ke(e,t,n,r=1){return dt(i=>Fn(i,e,t,n,r))}function Fn(e,t,n,r,i){let o=n.length/t;e.width!==t&&(e.width=t),e.height!==o&&(e.height=o);let s=e.getContext("2d",{willReadFrequently:!0});if(!s||!t||!o)return;let a=Ja(r,i),c=s.createImageData(t,o),l=new Uint32Array(c.data.buffer);for(let u=0;u<n.length;u++){if(Number.isNaN(n[u]))continue;let d=Math.max(-1,Math.min(1,n[u]/i));l[u]=a[Math.round(d*ut)+ut]}s.putImageData(c,0,0)}var lo=new WeakMap;function Ja(e,t){let n=lo.get(e);if(n)return n;let r=Uint32Array.from({length:2*ut+1},(i,o)=>{let[s,a,c]=Dn(e((o-ut)/ut*t));return 255<<24|c<<16|a<<8|s});return lo.set(e,r),r}function O(e){let{axis:t,side:n,current:r}=e,i=u=>`[data-side="${n}"][data-unit="${u}"]`,o=u=>{let d=u.target.dataset?.unit;d!==void 0&&!(e.selected&&Number(d)===r)&&e.select?.(Number(d))},s=u=>{let d=tl(u.key,r,t.units.length-1,Wt(t)==="rtl");d!==null&&(u.preventDefault(),e.select?.(d,i(d)))},a=u=>f`<span class="word" data-testid="word" data-side=${n}
    data-unit=${u} data-value="" ?data-special=${t.units[u].special}
    .style=${e.style(u)}>${t.units[u].label}</span>`,c=u=>f`<span role="button" class="word" data-testid="word"
    data-side=${n} data-unit=${u} data-value=${e.value(u)??""}
    ?data-special=${t.units[u].special} tabindex=${u===Math.max(0,r)?0:-1}
    aria-pressed=${e.selected&&u===r} aria-label=${e.label(u)}
    dir=${e.pieces?"auto":b} .style=${e.style(u)}>${t.units[u].label}</span>`,l=e.select?c:a;return f`<div class="sentence">
    <p class="small soft" aria-hidden="true">${e.name}</p>
    <p class="text ${e.pieces?"pieces":""}" role="group" aria-label=${e.name} data-side=${n}
      dir=${Wt(t)} @pointerover=${e.hover?o:b} @focusin=${o} @keydown=${s}
      >${e.pieces?t.units.map((u,d)=>l(d)):el(t,l)}</p>
  </div>`}function el(e,t){let n=[],r=0;return e.units.forEach(({span:i,special:o},s)=>{o||!i?n.push(s?" ":"",t(s),s?"":" "):(n.push(e.text.slice(r,i[0]).join(""),t(s)),r=i[1])}),n}function tl(e,t,n,r){if(e==="Home")return 0;if(e==="End")return n;let i={ArrowRight:1,ArrowLeft:-1,ArrowDown:1,ArrowUp:-1}[e];return i===void 0?null:Math.max(0,Math.min(n,t+((e==="ArrowRight"||e==="ArrowLeft")&&r?-i:i)))}function Wt(e){let t=e.text.find(n=>/\p{L}/u.test(n))??"";return/[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u.test(t)?"rtl":"ltr"}var co=S`
  .sentence { display: grid; gap: 0.35rem; }
  .sentence .text {
    overflow: clip; overflow-clip-margin: 0.4rem; font-size: 1.6rem; line-height: 1.7;
    overflow-wrap: anywhere; white-space: pre-wrap;
  }
  .word {
    border-radius: 4px; padding: 0.08em 0.06em; margin: 0 -0.04em; cursor: default;
    box-decoration-break: clone; -webkit-box-decoration-break: clone; overflow-wrap: anywhere;
  }
  .word[aria-pressed="true"]:not(:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: 1px;
  }
  .word[data-special] { font-size: 0.65em; color: var(--soft); }
  .pieces {
    display: flex; flex-wrap: wrap; gap: 0.15rem 0.5rem; align-items: baseline; white-space: nowrap;
  }
  .pieces .word { margin: 0; padding: 0.08em 0.25em; max-width: 100%; white-space: normal; }
  @media (max-width: 36rem) { .sentence .text { font-size: 1.3rem; } }
`;function Se(e,t){let n=0;for(let i=0;i<e.length;i++)n=Math.max(n,Math.abs(e[i]));let r=`${t}: ${e.length} numbers between ${T(-n)} and ${T(n)}`;return f`<figure class="vector" data-testid="vector" data-values=${Array.from(e).join(" ")}>
    <canvas class="strip" role="img" aria-label=${r}
      ${ke(e.length,e,Gt(n),n)}></canvas>
    <figcaption class="small soft">${t}: ${e.length} numbers, orange is negative, purple
      positive; largest ±${w(n)}</figcaption>
  </figure>`}function uo(e){let{records:t,selection:n,change:r}=e,[i]=t;if(i.source?.kind!=="text")return ae("The comparison needs a source text, which these records do not have.");let{source:o}=i,s=B("source",o,"words"),a=Xt(i),c=a?ue(a,n).column:ot(s,n.column);return f`${O({axis:s,side:"columns",name:"source",pieces:!1,hover:!0,current:c,selected:!0,value:()=>null,style:()=>"",label:l=>s.units[l].label,select:(l,u)=>r({by:"column",column:s.units[l].positions[0]??0},u)})}
    <div class="models">${t.map(l=>nl(l,o,c))}</div>
    ${ol(t)}`}function Xt(e){let{attention:t,head:n,shift:r}=q(e),i=P(e,t);return i?.kind==="cross"?ze(e,i,n,r,"words"):null}function nl(e,t,n){let r=Xt(e),i=e.source?.kind==="text"&&e.source.text===t.text;return f`<article data-testid="model-card" data-model=${e.model.name}>
    <h3>${e.model.name}</h3>
    <p class="small soft">${e.model.description}</p>
    ${i?r?rl(e,r,n):il(e):f`<p class="note">This model has another source.</p>`}
  </article>`}function rl(e,t,n){let r=q(e),i=P(e,r.attention),o=t.columns.units.length,s=Math.min(n,o-1);return f`<p class="target" dir=${Wt(t.rows)}>${t.rows.units.map((a,c)=>{let l=t.row(c)[s];return f`<span class="word" data-testid="compared" data-value=${l} ?data-special=${a.special}
      title=${T(l)} .style=${Ae(l)}>${a.label}</span> `})}</p>
  <p data-testid="summary">${Dt(t,s)}.</p>
  <div class="mini" aria-hidden="true">
    <canvas ${ke(o,t.weights,K)}></canvas>
    <i .style=${`left:${100*s/o}%;width:${100/o}%`}></i>
  </div>
  <p class="note">Rows are target words, columns source words.
    ${i?Be(e,i,r):b}.</p>`}function il(e){let t=e.summary===null?null:e.numbers(e.summary);return f`<p class="target" dir="auto">${e.target.text}</p>
    ${t?Se(t,"source vector"):b}
    <p data-testid="summary">This model has no attention: its decoder gets the source as
      ${t?f`one vector of ${t.length} numbers`:"its initial state"}.</p>`}function ol(e){let t=e.flatMap((n,r)=>e.slice(r+1).map(i=>[n,i]));for(let[n,r]of t){let[i,o]=[Xt(n),Xt(r)];if(!i||!o||n.target.text!==r.target.text||i.weights.length!==o.weights.length)continue;let s=i.weights.map((l,u)=>l-o.weights[u]),a=i.rows.units.length,c=i.columns.units.length;return f`<section class="difference" data-testid="difference"><h3>Difference of weights</h3>
      <p class="note">Both have the same target. Purple: ${n.model.name} has more weight; orange:
        ${r.model.name}.</p>
      <canvas role="img" aria-label=${`difference of weights, ${a} rows, ${c} columns`}
        .style=${`width:${Math.min(560,c*24)}px;height:auto`}
        ${ke(c,s,Gt(1))}></canvas>
    </section>`}return f`<p class="note">No two models have the same target, so there is no difference of weights.</p>`}var fo=S`
  .models {
    display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    gap: 1rem;
  }
  article {
    border: 1px solid var(--line); border-radius: 8px; padding: 1rem; display: grid; gap: 0.75rem;
    align-content: start; min-width: 0;
  }
  article h3 { overflow-wrap: anywhere; }
  .target { font-size: 1.2rem; line-height: 1.65; overflow-wrap: anywhere; }
  .mini { position: relative; max-width: 16rem; overflow: clip; overflow-clip-margin: 2px; }
  .mini canvas { width: 100%; height: auto; border-radius: 3px; }
  .mini i { position: absolute; top: 0; bottom: 0; box-shadow: 0 0 0 1px #fff, 0 0 0 2px #000; }
  .difference { display: grid; gap: 0.5rem; justify-items: start; }
`;var Qt=6,mo=R`<munder><mo>∑</mo><mi>d</mi></munder>`,ho=R`<msub><mi>q</mi><mi>d</mi></msub>`,po=R`<msub><mi>k</mi><mrow><mi>s</mi><mi>d</mi></mrow></msub>`,Kn=R`<msub><mi>e</mi><mi>s</mi></msub>`,sl=R`<msub><mi>e</mi><mi>j</mi></msub>`,al=R`<msub><mi>α</mi><mi>s</mi></msub>`,ll=R`<mrow><mo>(</mo><mi>s</mi><mo>−</mo><mi>p</mi><mo>)</mo></mrow>`,cl=R`<mi>D</mi>`,go=e=>R`<msup>${e}<mn>2</mn></msup>`;function bo(e){let t=e?R`${mo}<msub><mi>v</mi><mi>d</mi></msub><mi>tanh</mi><mo>(</mo>${ho}<mo>+</mo>${po}<mo>)</mo>`:R`<mi>c</mi>${mo}${ho}<mo>⁢</mo>${po}`;return f`<math display="block"><mrow>${Kn}<mo>=</mo>${t}</mrow></math>`}function xo(e,t){let n=o=>R`<mrow><mi>exp</mi><mo>(</mo>${o}<mo>/</mo><mi>τ</mi><mo>)</mo></mrow>`,r={hard:R`<mn>1</mn><mtext> at the highest score, </mtext><mn>0</mn><mtext> elsewhere</mtext>`,sparsemax:R`<mi>max</mi><mo>(</mo><mn>0</mn><mo>,</mo>${Kn}<mo>/</mo><mi>τ</mi><mo>−</mo><mi>θ</mi><mo>)</mo>`,uniform:R`<mfrac><mn>1</mn><mi>n</mi></mfrac>`,softmax:R`<mfrac>${n(Kn)}<mrow><munder><mo>∑</mo><mi>j</mi></munder>${n(sl)}</mrow></mfrac>`},i=t?R`<mo>·</mo><mi>exp</mi><mo>(</mo><mo>−</mo><mn>2</mn>${go(ll)}<mo>/</mo>${go(cl)}<mo>)</mo>`:"";return f`<math display="block"><mrow>${al}<mo>=</mo>${r[e]}${i}</mrow></math>`}function wo(e,t){let{detail:n,units:r,scores:i}=e;if(!n||!i)return f``;let{query:o,keys:s,scale:a,energy:c}=n,l=o.length,u=s.subarray(t*l,(t+1)*l),d=Ei(o,u,a,c),m=se(d.map(Math.abs)),h=m.slice(Qt).reduce((x,y)=>x+d[y],0),g=d.reduce((x,y)=>x+y,0),p=c?f`v<sub>d</sub> · tanh(q<sub>d</sub> + k<sub>d</sub>)`:f`c · q<sub>d</sub> · k<sub>d</sub>`;return f`<table class="terms" data-testid="summands" data-source=${t}>
    <caption>The score of ${_(r[t].label)}: ${w(i[t])}${c?"":f`, with c = ${w(a)}`}</caption>
    <thead><tr><th scope="col">dimension d</th><th scope="col">q<sub>d</sub></th><th scope="col">k<sub>d</sub></th>
      ${c?f`<th scope="col">v<sub>d</sub></th>`:""}<th scope="col">${p}</th></tr></thead>
    <tbody>
      ${m.slice(0,Qt).map(x=>f`<tr><th scope="row">${x+1}</th><td>${w(o[x])}</td><td>${w(u[x])}</td>
          ${c?f`<td>${w(c[x])}</td>`:""}<td>${w(d[x])}</td></tr>`)}
      ${l>Qt?f`<tr><th scope="row" colspan=${c?4:3}>the other ${l-Qt} dimensions</th>
              <td data-testid="rest">${w(h)}</td></tr>`:""}
      <tr class="total"><th scope="row" colspan=${c?4:3}>sum</th>
        <td data-testid="score-sum">${w(g)}</td></tr>
    </tbody>
  </table>
  ${i[t]===Number.NEGATIVE_INFINITY?f`<p class="note">The span masks this position, so this sum is not used.</p>`:Math.abs(g-i[t])>.005?f`<p class="note">The model’s score is ${w(i[t])}.</p>`:""}`}var yo=S`
  math {
    font-size: 1.15rem; text-align: start; margin: 0.25rem 0; overflow-x: auto; overflow-y: hidden;
  }
  .terms { border-collapse: collapse; font-size: 0.875rem; max-width: 100%; }
  .terms caption { text-align: start; padding-bottom: 0.3rem; color: var(--ink); }
  .terms th, .terms td {
    text-align: end; padding: 0.12rem 0.5rem; border-top: 1px solid var(--line); font-weight: 400;
  }
  .terms th { color: var(--soft); }
  .terms thead th { border: 0; }
  .terms .total > * { color: var(--ink); font-weight: 650; border-top: 2px solid var(--line); }
`;var Yn=128,Wn=56,ul=15,dl=44;function $o(e,t){let n=a=>a.flatMap((c,l)=>c.special&&!e.selection.specialTokens?[]:[l]),r=n(t.rows.units),i=n(t.columns.units),o=Math.floor((e.width-Yn-Wn)/Math.max(1,i.length)),s=Math.max(ul,Math.min(dl,o));return{chart:t,rows:r,columns:i,cell:s,at:(a,c)=>t.row(r[a])[i[c]]}}function Zt(e,{chart:t,rows:n,columns:r}){let{row:i,column:o}=ue(t,e.selection);return[Math.max(0,n.indexOf(i)),Math.max(0,r.indexOf(o))]}function Xn(e,t,n,r){let{record:i}=e;if(P(i,e.selection.attention)?.kind!=="cross"||i.source?.kind!=="text")return b;let{source:s,target:a}={source:i.source,target:i.target},{chart:c,cell:l}=t,u=(d,m,h)=>{let g=d.flatMap((p,x)=>m[p].positions.some(y=>h.includes(y))?[x]:[]);return[g[0],g.length]};return n.map(([d,m])=>{let[h,g]=u(t.columns,c.columns.units,s.word_pieces[d]),[p,x]=u(t.rows,c.rows.units,a.word_pieces[m]);if(!g||!x)return b;let y=`left:${h*l}px;top:${p*l}px`,v=`width:${g*l}px;height:${x*l}px`;return f`<i class=${r} data-testid=${r} data-link=${`${d}-${m}`}
      .style=${`${y};${v}`}></i>`})}var vo=S`
  .gold { box-shadow: inset 0 0 0 1px #000, inset 0 0 0 3px #ff9d3b, inset 0 0 0 4px #000; }
  .link::after {
    content: ""; position: absolute; top: 3px; right: 3px; width: 6px; height: 6px;
    border-radius: 50%;
    background: #fff; border: 1px solid #000;
  }
  .key {
    position: relative; width: 1.1rem; height: 1.1rem; background: #40516f; border-radius: 2px;
  }
  .key i { position: absolute; inset: 0; }
`;var fl=120,Ao=36,ml=2500;function ko(e,t){let{chart:n,rows:r,columns:i,cell:o,at:s}=t,[a,c]=Zt(e,t),l=r.flatMap(($,A)=>i.map((M,E)=>s(A,E))),u=i.map(($,A)=>r.reduce((M,E,D)=>M+(s(D,A)||0),0)),d=r.length*i.length<=ml,m=($,A,M=!0)=>{let E={row:n.rows.units[r[$]].positions[0]??0,column:n.columns.units[i[A]].positions[0]??0};e.change(E,M?`[data-row="${$}"][data-column="${A}"]`:void 0)},h=$=>{let A=pl($,a,c,t);A&&($.preventDefault(),m(...A))},g=$=>{let A=$.currentTarget.getBoundingClientRect(),M=Math.floor(($.clientX-A.left)/o),E=Math.floor(($.clientY-A.top)/o);E>=0&&M>=0&&E<r.length&&M<i.length&&(E!==a||M!==c)&&m(E,M,$.type==="click")},p=($,A)=>{let M=s($,A),E=o>=Ao&&M>=.005?T(M):"";return f`<span role="gridcell" data-testid="cell" data-row=${$} data-column=${A}
      data-value=${M} aria-colindex=${A+2} tabindex=${$===a&&A===c?0:-1}
      aria-label=${hl(t,$,A)} .style=${E?`color:${lt(K(M))}`:""}
      >${E}</span>`},x=i.map(($,A)=>{let{label:M,special:E}=n.columns.units[$];return f`<span role="columnheader" class="top ${A===c?"here":""}"
      aria-colindex=${A+2} title=${M} ?data-special=${E}><bdi dir="auto">${M}</bdi></span>`}),y=r.map(($,A)=>{let{label:M,special:E}=n.rows.units[$],D=i.reduce((je,k,J)=>je+s(A,J),0);return f`<div role="row" class="line" aria-rowindex=${A+2}>
      <span role="rowheader" class="side ${A===a?"here":""}" aria-colindex="1" title=${M}
        ?data-special=${E}><bdi dir="auto">${M}</bdi></span>
      ${d||A===a?i.map((je,k)=>p(A,k)):f`<span role="presentation" .style=${`grid-column:span ${i.length}`}></span>`}
      <span role="gridcell" class="sum" data-testid="row-sum" data-value=${D}
        aria-colindex=${i.length+2} aria-label=${`sum ${T(D)}`}>${T(D)}</span>
    </div>`}),v=Math.max(...i.map($=>n.columns.units[$].label.length),4),Y=`${`--head:${Math.min(fl,20+9*v)}px;--cell:${o}px;--label:${Yn}px;--sum:${Wn}px`};--columns:${i.length}`;return f`<div class="scroll matrix ${d?"":"boxed"}" .style=${Y} data-testid="matrix">
    <div class="sheet">
      <div class="cells" aria-hidden="true" @pointermove=${g} @click=${g}>
        <canvas data-testid="cells" ${ke(i.length,l,K)}></canvas>
        ${Xn(e,t,e.record.links,"link")}
        ${Xn(e,t,e.record.gold??[],"gold")}
        <i class="cursor" .style=${`left:${c*o}px;top:${a*o}px`}></i>
      </div>
      <div role="grid" aria-label="attention weights"
        aria-rowcount=${r.length+2} aria-colcount=${i.length+2} @keydown=${h}>
        <div role="row" class="line heads" aria-rowindex="1">
          <span role="columnheader" class="corner" aria-colindex="1">
            <span>${n.rows.name} ↓</span> <span>${n.columns.name} →</span></span>
          ${x}
          <span role="columnheader" class="sum" aria-colindex=${i.length+2}>sum</span>
        </div>
        ${y}
        <div role="row" class="line foot" aria-rowindex=${r.length+2}>
          <span role="rowheader" class="side" aria-colindex="1" 
            title="sum of each column">coverage</span>
          ${u.map(($,A)=>f`<span role="gridcell" data-testid="coverage" data-value=${$}
              aria-colindex=${A+2} aria-label=${`coverage ${T($)}`} title=${T($)}
              ><i .style=${`height:${1.5*$/Math.max(...u,1)}rem`}></i
              ><b>${o>=Ao?T($):""}</b></span>`)}
          <span role="gridcell" aria-label="no sum"></span>
        </div>
      </div>
    </div>
  </div>`}function hl({chart:e,rows:t,columns:n,at:r},i,o){let s=r(i,o),a=n.filter((d,m)=>r(i,m)>s).length,c=a?`number ${a+1}`:"highest",[l,u]=[e.rows,e.columns];return`${l.name} ${l.units[t[i]].label} ← ${u.name} ${u.units[n[o]].label} ${T(s)}, ${Number.isNaN(s)?"no weights":c} of ${n.length}`}function pl(e,t,n,r){let{rows:i,columns:o,at:s}=r,c={ArrowRight:[t,n+1],ArrowLeft:[t,n-1],ArrowDown:[t+1,n],ArrowUp:[t-1,n],Home:[e.ctrlKey?0:t,0],End:[e.ctrlKey?i.length-1:t,o.length-1],PageUp:[t,N(o.map((u,d)=>s(t,d)))],PageDown:[N(i.map((u,d)=>s(d,n))),n]}[e.key];return c?.[0]>=0&&c[1]>=0&&c[0]<i.length&&c[1]<o.length?c:null}var So=S`
  .boxed { max-height: min(80vh, 60rem); }
  .sheet { position: relative; width: max-content; padding-bottom: 2px; }
  .line {
    display: grid;
    grid-template-columns: var(--label) repeat(var(--columns), var(--cell)) var(--sum);
    height: var(--cell);
  }
  .line > * { min-width: 0; overflow: hidden; position: relative; }
  .line > [data-row] {
    display: grid; place-items: center; font-size: 0.72rem; line-height: 1; pointer-events: none;
    scroll-margin: var(--head) var(--sum) 0 var(--label);
  }
  .line > [data-row]:focus-visible { outline-offset: -2px; outline-color: #fff; }
  .heads { height: var(--head); position: sticky; top: 0; z-index: 3; background: var(--paper); }
  .top {
    writing-mode: vertical-rl; text-orientation: sideways; transform: rotate(180deg);
    display: flex; align-items: center; padding: 0.35rem 0;
    font-size: min(0.875rem, calc(var(--cell) * 0.75));
    line-height: 1;
  }
  .top bdi, .side bdi {
    line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    max-height: 100%;
  }
  .side {
    display: flex; align-items: center; justify-content: end; padding-inline: 0.25rem 0.6rem;
    position: sticky !important;
    left: 0; z-index: 2; background: var(--paper);
    font-size: min(0.875rem, calc(var(--cell) * 0.75)); line-height: 1.2;
  }
  .line .here { font-weight: 700; color: var(--accent); }
  .line [data-special] { color: var(--soft); font-size: min(0.75rem, calc(var(--cell) * 0.7)); }
  .corner {
    display: flex; flex-direction: column; justify-content: end; align-items: end;
    padding: 0.35rem 0.6rem;
    font-size: 0.75rem; color: var(--soft); position: sticky !important; left: 0; z-index: 4;
    background: var(--paper);
  }
  .sum {
    display: flex; align-items: end; padding-inline-start: 0.6rem;
    font-size: min(0.75rem, calc(var(--cell) * 0.8)); color: var(--soft); line-height: 1.2;
  }
  .line:not(.heads) .sum { align-items: center; }
  .foot { height: 3.2rem; padding-top: 2px; }
  .foot .side { font-size: 0.75rem; color: var(--soft); align-items: start; line-height: 1.5rem; }
  .foot [role="gridcell"] {
    display: flex; flex-direction: column; align-items: center; justify-content: space-between;
  }
  .foot i { width: 70%; max-height: 1.5rem; background: var(--line); border-radius: 0 0 2px 2px; }
  .foot b { font-size: 0.72rem; font-weight: 500; color: var(--soft); line-height: 1.4; }
  .cells {
    position: absolute; left: var(--label); top: var(--head); z-index: 0; overflow: hidden;
    width: calc(var(--columns) * var(--cell)); border-radius: 3px;
  }
  .cells canvas { width: 100%; height: auto; }
  .cells::after {
    content: ""; position: absolute; inset: 0; pointer-events: none; opacity: 0.12;
    background: linear-gradient(#fff 1px, transparent 1px) 0 -1px / 100% var(--cell),
      linear-gradient(90deg, #fff 1px, transparent 1px) -1px 0 / var(--cell) 100%;
  }
  .cells i { position: absolute; pointer-events: none; }
  .cells .cursor {
    width: var(--cell); height: var(--cell); box-shadow: inset 0 0 0 2px #fff, inset 0 0 0 3px #000;
  }
`;var Mo="At output: the weights of the step that predicts the word. At next input: the weights of the next step, whose input is the word.";function Me(e,t=b){let{record:n,selection:r,change:i}=e,o=P(n,r.attention),s=a=>i({...a,userSelected:!0});return f`<div class="controls">
    <label>attention layer
      <select data-testid="attention" @change=${a=>s(bl(e,Qn(a)))}>
        ${Object.entries(Ve).map(([a,c])=>{let l=n.attentions.filter(u=>u.kind===a);return l.length?f`<optgroup label=${c}>
                ${l.map(u=>f`<option value=${u.name} ?selected=${u.name===r.attention}>
                    ${c}, layer ${u.layer+1}</option>`)}</optgroup>`:b})}
      </select>
    </label>
    <label>head
      <select data-testid="head" @change=${a=>s({head:xl(Qn(a))})}>
        ${Jt(o).map(a=>f`<option value=${a} ?selected=${a===r.head}>
            ${typeof a=="number"?a+1:a}</option>`)}
      </select>
    </label>
    ${o?.kind==="cross"?f`<label title=${Mo}>alignment step
            <select data-testid="shift"
              @change=${a=>s({shift:Number(Qn(a))})}>
              ${Un.map((a,c)=>f`<option value=${c} ?selected=${c===r.shift}>
                  ${a}</option>`)}
            </select>
          </label>`:b}
    ${gl(e)} ${t}
    ${r.userSelected?f`<button data-testid="reset" @click=${()=>i(q(n),'[data-testid="attention"]')}>
            Back to the default</button>`:b}
  </div>`}function gl({selection:e,change:t}){let n=r=>f`<button data-testid=${r}
    aria-pressed=${e.units===r} @click=${()=>t({units:r})}>${r}</button>`;return f`<div class="field" role="group" aria-label="words or pieces">
    <span aria-hidden="true">units</span>
    <span class="pair">${n("words")}${n("pieces")}</span>
  </div>`}function de({record:e,selection:t}){let n=P(e,t.attention);if(!n)return f``;let r=Ii(e,t);return f`<p class="note" data-testid="caption">
    <strong>${Be(e,n,t)}</strong>${r?f`; ${r}`:b}.
    ${n.kind==="cross"?Mo:b} ${Hi}
  </p>`}function bl({record:e,selection:t},n){let r=Jt(P(e,n));return{attention:n,head:r.includes(t.head)?t.head:r[0]}}function Jt(e){let t=[...Array(e?.heads??0).keys()];return t.length>1?[...t,"mean","max"]:t}function xl(e){return e==="mean"||e==="max"?e:Number(e)}function Qn(e){return e.target.value}var wl={id:"entropy",title:"entropy",explain:"in bits; 0 if every word attends to one position only",ascending:!0,of:(e,t,n)=>To(e,t,n,r=>st(r))},yl={id:"diagonality",title:"diagonality",explain:"1 if every word attends to the same relative position in the other text",ascending:!1,of:(e,t,n)=>To(e,t,n,(r,i)=>{let o=0;for(let s=0;s<r.length;s++)o+=r[s]*Math.abs(s/Math.max(1,r.length-1)-i);return 1-o})},$l={id:"agreement",title:"agreement with the alignment head",explain:"F1 of its links with those of the alignment head; 1 if they are the same",ascending:!1,of:(e,t,n,r)=>Eo(e,t,n,r,e.links)},vl={id:"error",title:"alignment error (AER)",explain:"against the gold links; 0 if they are the same",ascending:!0,of:(e,t,n,r)=>{let i=Eo(e,t,n,r,e.gold??[]);return i===void 0?void 0:1-i}};function _o(e){return[wl,yl,...e.links.length?[$l]:[],...e.gold?[vl]:[]]}function To(e,t,n,r){let i=oe(e.numbers(t.weights),t.heads,n),o=Zn(e,t),s=i.length/o,a=0;for(let c=0;c<s;c++)a+=r(i.subarray(c*o,(c+1)*o),c/Math.max(1,s-1));return a/s}function Zn(e,t){return e.numbers(t.norms).length/t.heads}function Eo(e,t,n,r,i){if(t.kind!=="cross"||e.source?.kind!=="text")return;let o=ze(e,t,n,r,"words"),s=new Set;return o.rows.units.forEach((a,c)=>{let l=N(o.row(c));!a.special&&o.columns.units[l]&&!o.columns.units[l].special&&s.add(`${l}-${c}`)}),Ri(s,new Set(i.map(([a,c])=>`${a}-${c}`)))}function Ro(e){let{record:t,selection:n,change:r}=e;if(!t.attentions.length)return Q(t);let i=_o(t),o=i.find(({id:s})=>s===n.sort);return f`<div class="controls">
      <label>sort by <select data-testid="sort"
        @change=${s=>r({sort:s.target.value})}>
        <option value="layer" ?selected=${!o}>layer and head</option>
        ${i.map(s=>f`<option value=${s.id} ?selected=${s===o}>${s.title}</option>`)}
      </select></label>
      ${o?f`<p class="note">${o.title}, ${o.explain}</p>`:b}
    </div>
    ${Object.keys(Ve).map(s=>Al(e,s,o))}
    <div class="controls">
      ${[t.source?.kind==="image"?["image","Show on the image"]:["text","Show in the text"],["matrix","Show as a matrix"],["trace","Show step by step"]].map(([s,a])=>f`<button @click=${()=>r({view:s},`#tab-${s}`)}>${a}</button>`)}
    </div>
    ${de(e)}`}function Al(e,t,n){let{record:r,selection:i}=e,o=r.attentions.filter(u=>u.kind===t),s=Ve[t];if(!o.length)return b;let a=u=>Jt(u).map(d=>({attention:u,head:d,value:n?.of(r,u,d,i.shift)})),c=(u,d)=>f`<div class="tiles">${d}${u.map(m=>kl(e,m,n))}</div>`,l=(u,d)=>((u.value??Number.POSITIVE_INFINITY)-(d.value??Number.POSITIVE_INFINITY))*(n?.ascending?1:-1);return f`<section class="kind" aria-label=${s}><h3>${s}</h3>
    ${n?c(o.flatMap(a).sort(l),b):o.map(u=>c(a(u),f`<span class="layer small soft">layer ${u.layer+1}</span>`))}
  </section>`}function kl(e,{attention:t,head:n,value:r},i){let{record:o,selection:s,change:a}=e,c=typeof n=="number"?`${n+1}`:n,l=i?f`<span class="hidden">layer and head </span>${t.layer+1} · ${c}`:f`<span class="hidden">layer ${t.layer+1}, </span>${typeof n=="number"?"head ":""}${c}`;return f`<button class="tile" data-testid="tile" data-attention=${t.name} data-head=${n}
    aria-pressed=${s.attention===t.name&&s.head===n}
    @click=${()=>a({attention:t.name,head:n,userSelected:!0})}>
    <canvas ${dt(u=>Sl(u,o,t,n))}></canvas>
    <span class="small">${l}</span>
    ${r===void 0?b:f`<span class="small">${w(r)}</span>`}
  </button>`}var No=new WeakMap;function Sl(e,t,n,r){let i=`${t.model.sha256} ${t.target.text} ${n.name} ${r}`;if(No.get(e)===i)return;No.set(e,i);let o=oe(t.numbers(n.weights),n.heads,r);Fn(e,Zn(t,n),o,K,1)}var Co=S`
  .kind { display: grid; gap: 0.75rem; }
  .tiles { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
  .layer { width: 4.5rem; }
  .tile {
    display: grid; gap: 0.15rem; padding: 0.4rem; justify-items: center; border-color: transparent;
  }
  .tile canvas { width: 5rem; height: 5rem; border-radius: 3px; }
  .tile[aria-pressed="true"] { font-weight: 650; }
  @media (max-width: 36rem) { .layer { width: 100%; } .tile canvas { width: 4rem; height: 4rem; } }
`;var Ml=.05,_l=.78;function Ho(e){let{record:t,selection:n,change:r}=e,i=t.source,o=Ue(e);if(!o)return Q(t);if(P(t,n.attention)?.kind!=="cross")return f`${Me(e)} ${ae("Select a cross-attention layer to see weights on the image.")}`;let{row:s}=ue(o,n),a=(l,u)=>r({by:"row",row:o.rows.units[l].positions[0]??0,column:-1},u),c=f`<label class="inline"><input type="checkbox" data-testid="grid" .checked=${n.grid}
    @change=${()=>r({grid:!n.grid})}> grid of weights</label>`;return f`${Me(e,c)}
    <div class="captioned">
      ${Po(i,o.row(s),n.grid)}
      <div class="beside">
        ${O({axis:o.rows,side:"rows",name:"target",pieces:n.units==="pieces",hover:!0,current:s,selected:!0,value:()=>null,style:()=>"",label:l=>o.rows.units[l].label,select:a})}
        ${El(o,s)} ${Nl(o)} ${de(e)}
      </div>
    </div>
    <div class="film" role="group" aria-label="all words">
      ${o.rows.units.map((l,u)=>f`<button class="frame" data-testid="frame" aria-pressed=${u===s} @click=${()=>a(u)}>
          ${Po(i,o.row(u),!1)}<span><bdi dir="auto">${l.label}</bdi></span>
          <span class="small soft">${w(st(o.row(u)))} bits</span></button>`)}
    </div>`}function Po(e,t,n){let r=t[N(t)],{rows:i,columns:o}=e,s=`aspect-ratio:${e.width}/${e.height}`,a=e.image.startsWith("data:image/")?e.image:"";return f`<figure class="lit" .style=${s}><img src=${a} alt="source image">
    <canvas aria-hidden="true" ${dt(c=>Tl(c,o,t,r))}></canvas>
    ${n?f`<div class="regions" .style=${`grid-template:repeat(${i},1fr)/repeat(${o},1fr)`}>
            ${Array.from(t,c=>f`<span data-testid="region" data-value=${c}>${T(c)}</span>`)}</div>`:b}</figure>`}function Tl(e,t,n,r){e.width=t,e.height=n.length/t;let i=e.getContext("2d");if(!i)return;let o=i.createImageData(e.width,e.height);n.forEach((s,a)=>{o.data[4*a+3]=255*_l*(1-s/(r||1))}),i.putImageData(o,0,0)}function El(e,t){let n=e.row(t),r=N(n);return f`<p class="summary" data-testid="summary">${_(e.rows.units[t].label)} attends most to
    ${e.columns.units[r].label}, ${w(n[r])} in ${n.length} regions; entropy
    ${w(st(n))} of ${w(Math.log2(n.length))} bits.</p>`}function Nl(e){let n=e.rows.units.slice(1).map((i,o)=>Ni(e.row(o),e.row(o+1))).filter(i=>!Number.isNaN(i));if(!n.length)return f`<p class="note">There is only one word, so no movement.</p>`;let r=n.reduce((i,o)=>i+o,0)/n.length;return f`<p class="note" data-testid="movement">From word to word ${w(r)} of the attention
    moves.${r<Ml?f` <strong>Attention is nearly the same for all words. It does not localize them, which
            often means that training failed.</strong>`:b}</p>`}var Io=S`
  .captioned {
    display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 1.5rem;
    align-items: start;
  }
  .beside { display: grid; gap: 1rem; }
  .lit { position: relative; overflow: hidden; border-radius: 4px; width: 100%; }
  .lit img, .lit canvas, .regions { position: absolute; inset: 0; width: 100%; height: 100%; }
  .lit canvas { image-rendering: auto; }
  .regions { display: grid; }
  .regions span {
    display: grid; place-items: center; font-size: 0.625rem; color: #fff;
    text-shadow: 0 0 2px #000, 0 0 2px #000; outline: 1px solid #ffffff55;
  }
  .film { display: flex; flex-wrap: wrap; gap: 0.75rem; }
  .frame {
    display: grid; gap: 0.15rem; width: 7rem; padding: 0.35rem; text-align: start;
    align-content: start;
  }
  .frame bdi { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  @media (max-width: 48rem) { .captioned { grid-template-columns: minmax(0, 1fr); } }
`;var Lo=[["uniform","uniform attention","All cross-attention weights are equal."],["masked","mask a word","The word is masked in all cross-attention; the encoder still reads it."],["removed","remove a word","The word is removed from the source."]];function Oo(e){let{record:t,selection:n}=e,{interventions:r}=t;if(!r?.kinds.length)return ae(f`This record has no interventions. They show how the probability of the
      target changes if a source word is masked or removed, and exist for translations.`);let i=Math.min(n.intervention,r.kinds.length-1),o=r.kinds[i];return f`${Rl(e,r,i)} ${Cl(t,r,i)}
    ${Pl(t,r,i)}
    <p class="note">${Lo.find(([s])=>s===o)?.[2]} The
      target is unchanged; the model computes its probabilities again. <strong>This shows
      causes:</strong> if a probability falls, the change caused it. Attention weights do not show
      this.</p>`}function Rl({record:e,change:t},n,r){let[i,o]=[n.kinds[r],n.words[r]],s=Uo(e,n),a=p=>n.kinds.flatMap((x,y)=>x===p?[y]:[]),c=p=>a(p).reduce((x,y)=>s[y]>s[x]?y:x),{source:l}=e,u=l?.kind==="text"?B("source",l,"words"):null,d=u&&{...u,units:u.units.filter(p=>!p.special)},m=p=>a(i).find(x=>n.words[x]===p)??r,h=p=>s[m(p)],g=Math.max(...a(i).map(p=>s[p]));return f`<div class="pair wrap" role="group" aria-label="intervention">
      ${Lo.filter(([p])=>a(p).length).map(([p,x])=>f`<button data-testid="intervention-kind" data-kind=${p}
          aria-pressed=${p===i}
          @click=${()=>t({intervention:c(p)})}>${x}</button>`)}
    </div>
    ${d&&o!==null?f`${O({axis:d,side:"columns",name:`select the word to ${i==="masked"?"mask":"remove"}; a stronger colour means a greater loss`,pieces:!1,hover:!1,current:o,selected:!0,value:h,style:p=>`${Ae(h(p)/g)};${p===o?"text-decoration:line-through 2px":""}`,label:p=>d.units[p].label,select:(p,x)=>t({intervention:m(p)},x)})}`:b}`}function Uo(e,t){let n=e.numbers(t.logps),{steps:r}=e;return t.kinds.map((i,o)=>r.reduce((s,{logp:a},c)=>s+a-n[o*r.length+c],0))}function zo(e,t,n){let r=e.steps.length,i=e.numbers(t.logps),o=e.numbers(t.token_logps);return e.steps.map(({logp:s},a)=>({before:Math.exp(s),after:Math.exp(i[n*r+a]),token:t.tokens[n][a],tokenP:Math.exp(o[n*r+a])}))}function Cl(e,t,n){let r=zo(e,t,n),[i]=se(r.map(({before:u,after:d})=>Math.abs(d-u))),{before:o,after:s,token:a}=r[i],c=e.target.pieces[i],l=Uo(e,t)[n];return f`<p class="summary" data-testid="summary">
    ${_(L(c))} ${s<o?"falls":"rises"} from ${w(o)} to ${w(s)}${a===c?"":f`; the model prefers ${_(L(a))}`}. <span class="soft">The target ${l>0?"loses":"gains"} ${w(Math.abs(l))} nats.</span></p>`}function Pl(e,t,n){return f`<div class="scroll" role="region" tabindex="0" aria-label="before and after">
    <table class="moves" data-testid="intervention" data-index=${n}>
    <caption class="hidden">Probability of each piece before and after</caption>
    <thead><tr><th scope="col">piece</th><th scope="col">before</th>
      <th scope="col"><span class="hidden">chart</span></th>
      <th scope="col">after</th><th scope="col">most likely piece</th></tr></thead>
    <tbody>${zo(e,t,n).map(({before:r,after:i,token:o,tokenP:s},a)=>{let c=e.target.pieces[a];return f`<tr>
        <th scope="row">${_(L(c))}</th>
        <td data-testid="before">${w(r)}</td>
        <td class="slope">${Hl(r,i)}</td>
        <td data-testid="after">${w(i)}</td>
        <td data-testid="prediction">${o===c?f`<span class="soft">unchanged</span>`:f`${_(L(o))} ${w(s)}`}</td></tr>`})}</tbody></table></div>`}function Hl(e,t){let[n,r]=e<t?[e,t]:[t,e],i=r-n<.005?"none":t<e?"down":"up";return f`<span class="track" role="img" aria-label=${`from ${T(e)} to ${T(t)}`}>
    <i class="change ${i}" .style=${`left:${100*n}%;width:${100*(r-n)}%`}></i>
    <i class="ring" .style=${`left:${100*e}%`}></i>
    <i class="disc ${i}" .style=${`left:${100*t}%`}></i></span>`}var Vo=S`
  .wrap { flex-wrap: wrap; }
  .moves { border-collapse: collapse; width: 100%; max-width: 52rem; font-size: 0.9375rem; }
  .moves th, .moves td {
    padding: 0.2rem 0.6rem; text-align: start; border-top: 1px solid var(--line);
    white-space: nowrap;
  }
  .moves thead th { border: 0; font-weight: 500; color: var(--soft); font-size: 0.875rem; }
  .moves tbody th {
    font-weight: 400; padding-inline-start: 0; max-width: 12rem; overflow: hidden;
    text-overflow: ellipsis;
  }
  .slope { width: 45%; min-width: 9rem; }
  .track {
    position: relative; display: block; height: 1rem;
    background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat;
  }
  .track i { position: absolute; top: 50%; }
  .change { height: 4px; margin-top: -2px; background: var(--bar); }
  .change.down, .disc.down { background: var(--mark); }
  .change.none, .disc.none { background: var(--soft); }
  .ring, .disc { width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; }
  .ring { border: 2px solid var(--soft); background: var(--paper); }
  .disc { background: var(--bar); }
  @media (forced-colors: active) { .change, .disc { background: CanvasText !important; forced-color-adjust: none; } }
`;function qo({chart:e,rows:t,columns:n,at:r}){let i=n.map(s=>Bo(e.columns.units[s].label)),o=t.map((s,a)=>[Bo(e.rows.units[s].label),...n.map((c,l)=>Number.isNaN(r(a,l))?"":String(r(a,l)))]);return[['""',...i],...o].map(s=>`${s.join(",")}\r
`).join("")}function Bo(e){return`"${(/^[=+\-@\t\r]/.test(e)?`'${e}`:e).replaceAll('"','""')}"`}var Z=40,fe=120,Do=2,Il="14px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";function Go({chart:e,rows:t,columns:n,at:r}){let[i,o]=[fe+n.length*Z+8,fe+t.length*Z+8],s=t.flatMap((l,u)=>n.map((d,m)=>{let h=r(u,m),[g,p]=[fe+m*Z,fe+u*Z],x=Number.isNaN(h)?"#fff":K(h),y=h>=.005?`<text x="${g+Z/2}" y="${p+Z/2+4}" text-anchor="middle" font-size="11" fill="${lt(x)}">${T(h)}</text>`:"";return`<rect x="${g}" y="${p}" width="${Z}" height="${Z}" fill="${x}"/>${y}`})),a=t.map((l,u)=>`<text x="${fe-8}" y="${fe+(u+.5)*Z+5}" text-anchor="end">${jo(e.rows.units[l].label)}</text>`),c=n.map((l,u)=>{let[d,m]=[fe+(u+.5)*Z+5,fe-8];return`<text x="${d}" y="${m}" transform="rotate(-55 ${d} ${m})">${jo(e.columns.units[l].label)}</text>`});return`<svg xmlns="http://www.w3.org/2000/svg" width="${i}" height="${o}" viewBox="0 0 ${i} ${o}" style="font:${Il}"><rect width="100%" height="100%" fill="#fff"/>${[...s,...a,...c].join("")}</svg>`}async function Fo(e){let t=new Image;t.src=`data:image/svg+xml;charset=utf-8,${encodeURIComponent(e)}`,await t.decode();let n=document.createElement("canvas");return n.width=t.width*Do,n.height=t.height*Do,n.getContext("2d").drawImage(t,0,0,n.width,n.height),new Promise((i,o)=>n.toBlob(s=>s?i(s):o(new Error("no picture"))))}function jo(e){let t=[...e].filter(r=>/[^\p{C}]/u.test(r));return(t.length>14?`${t.slice(0,13).join("")}…`:t.join("")).replaceAll("&","&amp;").replaceAll("<","&lt;")}function Yo(e){return location.protocol==="about:"?b:f`<button data-testid="csv" @click=${()=>Ko(new Blob([qo(e)],{type:"text/csv"}),"weights.csv")}>Save as CSV</button>
    <button data-testid="picture" @click=${async()=>Ko(await Fo(Go(e)),"attention.png")}>Save picture</button>`}function Ko(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(e),n.download=t,n.click(),URL.revokeObjectURL(n.href)}function Wo(e){let t=Ue(e);if(!t)return Q(e.record);let n=$o(e,t),r=f`<label class="inline"><input type="checkbox" data-testid="special-tokens"
    .checked=${e.selection.specialTokens}
    @change=${()=>e.change({specialTokens:!e.selection.specialTokens})}> special tokens</label>`;return f`${Me(e,[r,Yo(n)])} ${ko(e,n)} ${Ll(e,n)}
    ${Ol(e,t)} ${Ul(e)} ${de(e)}`}function Ll(e,t){let{chart:n,rows:r,columns:i,at:o}=t;if(!r.length||!i.length)return f`<p class="summary">There are only special tokens, which are hidden.</p>`;let[s,a]=Zt(e,t);if(Number.isNaN(o(s,a)))return f`<p class="summary" data-testid="summary">${qt(n,r[s])}</p>`;let c=N(i.map((u,d)=>o(s,d))),l=c===a?"the highest of the row":f`the highest of the row is ${_(n.columns.units[i[c]].label)} ${w(o(s,c))}`;return f`<p class="summary" data-testid="summary">
    ${_(n.rows.units[r[s]].label)} ← ${_(n.columns.units[i[a]].label)}
    ${w(o(s,a))}, ${l}</p>`}function Ol({selection:e},t){if(e.specialTokens)return b;let n=t.columns.units.flatMap((o,s)=>o.special?[s]:[]),r=t.rows.units.flatMap((o,s)=>o.special?[]:[n.reduce((a,c)=>a+(t.row(s)[c]||0),0)]),i=r.reduce((o,s)=>o+s,0)/Math.max(1,r.length);return f`<p class="note" data-testid="hidden-tokens">Special tokens are hidden. They have a mean
    weight of ${w(i)} in each row, so rows sum to less than 1.</p>`}function Ul({record:e}){let t=Array.from({length:17},(n,r)=>K(r/16));return f`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${t.join()})`}></i> 1</span>
    ${e.links.length?f`<span><i class="key"><i class="link"></i></i> link of the alignment head</span>`:b}
    ${e.gold?f`<span><i class="key"><i class="gold"></i></i> gold link</span>`:b}
    <span>Page Up: highest of the row; Page Down: highest of the column</span>
  </p>`}var Xo="regard.explain/2",Qo={u16:2,f16:2,f32:4};async function Zo(e){let{arrays:t,data:n,...r}=JSON.parse(e);if(r.format!==Xo)throw new Error(`This viewer reads the format ${Xo}, but the record has the format “${r.format}”. Create the page with the version of regard that wrote the record.`);let i=await zl(n),o=[],s=0;for(let{type:l,shape:u}of t)o.push(s),s+=Qo[l]*Jo(u);if(i.length!==s)throw new Error(`The record is damaged: its arrays have ${i.length} bytes instead of ${s}.`);let a=[];return{...r,numbers:l=>(a[l]??=Vl(i,o[l],t[l]),a[l])}}async function zl(e){let t=atob(e),n=new Uint8Array(t.length);for(let i=0;i<t.length;i++)n[i]=t.charCodeAt(i);let r=new Blob([n]).stream().pipeThrough(new DecompressionStream("deflate"));return new Uint8Array(await new Response(r).arrayBuffer())}function Vl(e,t,{type:n,shape:r}){let i=Jo(r),o=e.slice(t,t+i*Qo[n]).buffer;if(n==="f32")return new Float32Array(o);let s=new Uint16Array(o),a=new Float32Array(i);for(let c=0;c<i;c++)a[c]=n==="u16"?s[c]/65535:Bl(s[c]);return a}function Bl(e){let t=e&32768?-1:1,n=e>>10&31,r=e&1023;return n===0?t*r*2**-24:n===31?r?Number.NaN:t*Number.POSITIVE_INFINITY:t*(1+r/1024)*2**(n-15)}function Jo(e){return e.reduce((t,n)=>t*n,1)}var es=S`
  :host {
    color-scheme: light dark;
    --ink: #1c2430; --soft: #566170; --line: #dfe4ea; --paper: #ffffff; --card: #f6f8fa;
    --accent: #1f5fa8; --accent-soft: #e3edf8; --bar: #35608f; --mark: #b65a00;
    display: block; background: var(--paper); color: var(--ink);
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums; text-align: start;
  }
  @media (prefers-color-scheme: dark) {
    :host {
      --ink: #e6eaf0; --soft: #a3aebc; --line: #323b47; --paper: #14181e; --card: #1c222a;
      --accent: #8ab8f0; --accent-soft: #223349; --bar: #8fb3dd; --mark: #f0a860;
    }
  }
  * { box-sizing: border-box; }
  h2, h3, p, figure { margin: 0; }
  h2 { font-size: 1.05rem; font-weight: 650; overflow-wrap: anywhere; }
  h3 { font-size: 1rem; font-weight: 650; }
  a { color: var(--accent); }
  .soft { color: var(--soft); }
  .small { font-size: 0.875rem; }
  .token { font-weight: 600; font-style: normal; overflow-wrap: anywhere; }
  .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
  .number:not(td *) { font-weight: 600; }
  header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
  header p { color: var(--soft); font-size: 0.875rem; overflow-wrap: anywhere; }
  .hidden {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    white-space: nowrap;
  }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
  button, select, input { font: inherit; color: inherit; }
  button, select {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2rem; max-width: 100%;
  }
  button { cursor: pointer; }
  button:hover:enabled, select:hover { border-color: var(--soft); }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
  button:disabled { color: var(--soft); cursor: default; }
  select { text-overflow: ellipsis; }
  input[type="range"] { accent-color: var(--accent); vertical-align: middle; }

  [role="tablist"] {
    display: flex; gap: 0.25rem 1.25rem; flex-wrap: wrap; margin: 1rem 0 1.5rem;
    border-bottom: 1px solid var(--line);
  }
  [role="tab"] {
    border: 0; border-radius: 0; background: none; padding: 0.5rem 0; color: var(--soft);
    border-bottom: 2px solid transparent; margin-bottom: -1px; white-space: nowrap;
  }
  [role="tab"][aria-selected="true"] {
    color: var(--ink); border-color: var(--accent); font-weight: 600;
  }
  .panel { display: grid; gap: 1.25rem; min-width: 0; }
  .panel > * { min-width: 0; }
  .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; }
  .controls label, .field { display: grid; gap: 0.15rem; font-size: 0.8125rem; color: var(--soft); }
  .controls label > *, .field button, .field input { font-size: 0.9375rem; color: var(--ink); }
  .controls label.inline {
    display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; color: var(--ink);
    font-size: 0.9375rem;
  }
  .pair { display: flex; }
  .pair button { border-radius: 0; margin-inline-start: -1px; }
  .pair button:first-child { border-start-start-radius: 6px; border-end-start-radius: 6px; }
  .pair button:last-child { border-start-end-radius: 6px; border-end-end-radius: 6px; }

  .summary {
    font-size: 1.125rem; line-height: 1.5; max-width: 46rem; overflow: clip;
    overflow-clip-margin: 0.3rem;
  }
  .note { color: var(--soft); font-size: 0.875rem; max-width: 46rem; overflow-wrap: anywhere; }
  .note .number { color: var(--ink); }
  cite { font-style: normal; }
  .note strong { color: var(--ink); font-weight: 600; }
  .provenance { margin-top: 2rem; font-size: 0.8125rem; }
  .placeholder {
    border: 1px dashed var(--line); border-radius: 8px; padding: 1.5rem; max-width: 46rem;
    background: var(--card);
  }
  .scroll { overflow: auto; max-width: 100%; }
  canvas { display: block; image-rendering: pixelated; }
  .legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.25rem; align-items: center; }
  .legend span { display: inline-flex; align-items: center; gap: 0.4rem; }
  .ramp { width: 8rem; height: 0.75rem; border-radius: 2px; border: 1px solid var(--line); }
  .strip { width: 100%; height: 1.75rem; border-radius: 3px; border: 1px solid var(--line); }

  @media (prefers-reduced-motion: reduce) {
    * { transition: none !important; animation: none !important; }
  }
  @media (forced-colors: active) {
    button[aria-pressed="true"], [role="tab"][aria-selected="true"] {
      border-color: Highlight; forced-color-adjust: none; background: Highlight;
      color: HighlightText;
    }
  }
  @media print {
    [role="tablist"], .controls { display: none; }
    .scroll { overflow: visible; max-height: none !important; }
  }
`;function ts(e){let t=Ue(e);return t?ql(e,t):Dl(e.record)}function ql(e,t){let{record:n,selection:r,change:i}=e,{row:o,column:s}=ue(t,r),a=r.by==="row",[c,l]=[t.rows,t.columns],u=(h,g)=>i({by:"row",row:c.units[h].positions[0]??0},g),d=(h,g)=>i({by:"column",column:l.units[h].positions[0]??0},g),m=(h,g)=>t.row(h)[g];return f`${Me(e)}
    <p class="note" data-testid="help">Point at a word to see which words of the other text it attends
      to, or which attend to it. The darker a word, the higher its attention weight.</p>
    <div class="texts">
      ${O({axis:l,side:"columns",name:l.name==="prefix"?"target prefix":l.name,pieces:r.units==="pieces",hover:!0,current:s,selected:!a,value:h=>a?m(o,h):null,style:h=>a?Ae(m(o,h)):"",label:h=>`${l.units[h].label}, ${a?T(m(o,h)):"source word"}`,select:d})}
      ${O({axis:c,side:"rows",name:c===l?"source (queries)":c.name,pieces:r.units==="pieces",hover:!0,current:o,selected:a,value:h=>a?null:m(h,s),style:h=>`${a?"":Ae(m(h,s))};${rs(n,c,h)}`,label:h=>`${c.units[h].label}${a?"":`, ${T(m(h,s))}`}`,select:u})}
    </div>
    <p class="summary" aria-live="polite" data-testid="summary">
      ${a?qt(t,o):Dt(t,s)}${a&&c.name==="target"?f`; <i>p</i> = ${w(Math.exp(ns(n,c.units[o])))}`:b}
    </p>
    ${jl(c.name==="target")} ${de(e)}`}function Dl(e){let t=B("target",e.target,"words"),n=e.source?.kind==="text"?B("source",e.source,"words"):null,r={pieces:!1,hover:!1,current:-1,selected:!1,value:()=>null};return f`<div class="texts">
      ${n?O({...r,axis:n,side:"columns",name:n.name,style:()=>"",label:i=>n.units[i].label}):b}
      ${e.summary===null?b:Se(e.numbers(e.summary),"source vector")}
      ${O({...r,axis:t,side:"rows",name:t.name,style:i=>rs(e,t,i),label:i=>t.units[i].label})}
    </div>
    ${Q(e)}`}function ns(e,t){return t.positions.reduce((n,r)=>n+e.steps[r].logp,0)}function rs(e,t,n){if(t.name!=="target")return"";let r=-ns(e,t.units[n]);return`text-decoration-thickness:${(1+Math.min(4,r)).toFixed(2)}px`}function jl(e){let t=Array.from({length:9},(n,r)=>qn(r/8));return f`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${t.join()})`}></i> 1,
      attention weight</span>
    ${e?f`<span>underline: <u class="sure">likely</u> <u class="unsure">unlikely</u></span>`:b}
  </p>`}var is=S`
  .texts { display: grid; gap: 1.75rem; }
  .texts > * { min-width: 0; }
  .texts [data-side="rows"] .word:not([data-special]) {
    text-decoration: underline var(--mark); text-underline-offset: 0.28em;
    text-decoration-skip-ink: none;
  }
  .sure, .unsure { text-decoration-color: var(--mark); text-underline-offset: 0.25em; }
  .sure { text-decoration-thickness: 1px; }
  .unsure { text-decoration-thickness: 4px; }
`;var tn=6;function en({weights:e,norms:t}){let n=e.map((i,o)=>i*t[o]),r=n.reduce((i,o)=>i+o,0)||1;return n.map(i=>i/r)}function os(e,t,n){let{weights:r,detail:i,units:o}=t,s=e.target.pieces[t.step],{top:a,logp:c}=e.steps[t.step],l=m=>_(o[m].label),u=_(L(s));return[()=>f`Step ${t.step+1} of ${e.steps.length}: to predict ${u}, the decoder
      computes a query${i?f` of ${i.query.length} numbers`:""}.`,()=>{if(!t.scores)return f`This is a combination of several heads, which has no scores.`;let m=t.scores.filter(g=>g>Number.NEGATIVE_INFINITY).length,h=N(t.scores);return f`${l(h)} has the highest score of ${m} positions,
        ${w(t.scores[h])}.`},()=>{let[m,h]=se(r);return f`${l(m)} gets the weight ${w(r[m])}${h===void 0?"":f`, ${l(h)} ${w(r[h])}`}.`},()=>{let m=en(t),h=N(m);return f`Multiplied by the length of its value, ${l(h)} has the largest share,
        ${w(m[h])}.`},()=>{let m=en(t),h=N(m);return f`${w(m[h])} of the context comes from ${l(h)}.`},()=>{let m=a.find(([h])=>h!==s);return f`The model outputs ${u} with <i>p</i> = ${w(Math.exp(c))}${m?f`; the best alternative is ${_(L(m[0]))} ${w(Math.exp(m[1]))}`:""}.`}][n]()}function er({record:e,selection:t}){let n=e.head_trace;if(n===null)return!1;let{attention:r,head:i,userSelected:o}=t;return!o||n.attention===r&&n.head===i}function ss(e){let{record:t,selection:n}=e,r=er(e)?t.head_trace:null,i=P(t,r?.attention??n.attention);if(!i||i.kind==="encoder")return null;let o=Ln(t,i,"pieces")[1].units,s=Math.min(n.row,t.steps.length-1),a={record:t,attention:i,step:s,units:o,temperature:n.temperature};return r?Gl(a,r):Fl(a,n.head)}function Gl(e,t){let{record:n,attention:r,step:i,units:o}=e,s=g=>Jn(n.numbers(g),i,n.steps.length),a=n.numbers(t.values),c=a.length/o.length,l=o.map((g,p)=>Math.hypot(...a.subarray(p*c,(p+1)*c))),u=s(t.scores),d=s(t.weights),m=as(e,u,d),h={query:s(t.queries),keys:n.numbers(t.keys),scale:t.scale,energy:t.energy===null?null:n.numbers(t.energy),context:_i(m,a)};return{attention:r,step:i,units:o,scores:u,recorded:d,weights:m,norms:l,detail:h}}function Fl(e,t){let{record:n,attention:r,step:i,units:o}=e,s=n.steps.length,{heads:a}=r,c=Jn(oe(n.numbers(r.weights),a,t),i,s),l=oe(n.numbers(r.norms),a,t),u=r.scores!==void 0&&typeof t=="number"?Jn(oe(n.numbers(r.scores),a,t),i,s):null,m=u&&e.temperature!==1?as(e,u,c):Array.from(c);return{attention:r,step:i,units:o,scores:u,recorded:c,weights:m,norms:l,detail:null}}function as(e,t,n){let{attention:r,temperature:i}=e,o=Ti(r.normalizer.name,t,i);if(r.prior===null)return o;let s=On(t);return o.map((a,c)=>s[c]?a*n[c]/s[c]:0)}function Jn(e,t,n){let r=e.length/n;return e.subarray(t*r,(t+1)*r)}var nr=matchMedia("(prefers-reduced-motion: reduce)");function ls(e){if(!e.record.attentions.length)return Q(e.record);let t=ss(e);if(!t)return f`<div class="placeholder" data-testid="placeholder"><p>Encoder self-attention has no
      decoding steps. ${cs(e)}</p></div>`;let{column:n,stage:r}=e.selection,{detail:i,attention:o,weights:s,units:a}=t,c=n<0?N(s):Math.min(n,a.length-1),l=u=>`stage ${u===r?"now":""}`;return f`<div class="trace" @keydown=${u=>Wl(u,e)}>
    ${Kl(e,t)} ${Yl(e)}
    <p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${os(e.record,t,r)}</p>
    ${Xl(e,t)}
    <section class=${l(0)} data-testid="stage-0"><h3>1. Query</h3>
      ${i?Se(i.query,"query q, from the decoder state"):tr(e,"the query")}
    </section>
    <div class="middle">
      <section class="positions ${r>0&&r<4?"now":""}">
        ${Li(e,t,c)}
        ${i?wo(t,c):tr(e,"the terms of the scores")}</section>
      <div class="sides">
        <section class=${l(1)} data-testid="stage-1"><h3>2. Scores</h3>
          ${i?bo(i.energy!==null):b}
          <p class="note">${o.score.formula} <br><cite>${o.score.reference}</cite></p>
        </section>
        <section class=${l(2)} data-testid="stage-2"><h3>3. Weights</h3>
          ${xo(o.normalizer.name,o.prior==="gaussian")}
          ${Ql(e,t)}
        </section>
        <section class=${l(3)} data-testid="stage-3"><h3>4. Weight × value</h3>
          <p class="note">A position with a short value contributes little, whatever its weight. The
            last bars show weight × ‖value‖; the largest share is
            ${w(Math.max(...en(t)))}.</p>
        </section>
      </div>
    </div>
    <section class=${l(4)} data-testid="stage-4"><h3>5. Context</h3>
      ${i?Se(i.context,"context, Σ weight · value"):tr(e,"the context")}
    </section>
    <section class=${l(5)} data-testid="stage-5"><h3>6. Output</h3>
      ${Oi(e.record,t.step)}
      ${e.selection.temperature===1?b:f`<p class="note">The output at τ = 1. Another temperature needs a new forward pass of
              the model.</p>`}
    </section>
  </div>`}function Kl({record:e,change:t},{step:n}){let r=B("target",e.target,"pieces");return O({axis:r,side:"rows",name:"target pieces",pieces:!0,hover:!1,current:n,selected:!0,value:()=>null,style:()=>"",label:i=>`step ${i+1}, ${r.units[i].label}`,select:(i,o)=>t({row:i,column:-1,playing:!1},o)})}function Yl({record:e,selection:t,change:n}){let r=i=>n({...nn(t,e.steps.length,i),playing:!1});return f`<div class="controls">
    <span class="pair">
      <button data-testid="back" @click=${()=>r(-1)}>← Back</button>
      <button data-testid="play" aria-pressed=${t.playing} ?disabled=${nr.matches}
        @click=${()=>n({playing:!t.playing})}>${t.playing?"Pause":"Play"}</button>
      <button data-testid="forward" @click=${()=>r(1)}>Forward →</button>
    </span>
    <label>speed <select data-testid="speed"
      @change=${i=>n({pace:Number(i.target.value)})}>
      ${[[4,"slow"],[2,"normal"],[1,"fast"]].map(([i,o])=>f`<option value=${i} ?selected=${i===t.pace}>${o}</option>`)}
    </select></label>
    <span class="soft small" data-testid="stage">stage ${t.stage+1} of ${tn}${nr.matches?"; playback is off because your system prefers reduced motion":""}</span>
  </div>`}function nn(e,t,n){let r=e.stage+n;if(r>=0&&r<tn)return{stage:r};let i=e.row+n;return i<0||i>=t?{playing:!1}:{row:i,column:-1,stage:n>0?0:tn-1}}function Wl(e,{record:t,selection:n,change:r}){let i=e.target.closest("button, select, input, [role=button]"),o=e.key===" "?"button, select, input":"select, input, [role=button]";if(i?.matches(o))return;let s={ArrowRight:1,ArrowLeft:-1}[e.key];if(e.key===" "&&!nr.matches)r({playing:!n.playing});else if(s)r({...nn(n,t.steps.length,s),playing:!1});else return;e.preventDefault()}function Xl(e,t){let{record:n,selection:r}=e,i=er(e)&&n.head_trace?n.head_trace.head:r.head,o=n.attentions.length>1||t.attention.heads>1;return f`<p class="note" data-testid="caption">
    <strong>${Be(n,t.attention,{head:i,shift:0})}</strong>.
    ${t.detail?"The record has all vectors of this head.":f`The record has the vectors of another head. ${cs(e)}`}
    ${o?"The output depends on all heads and layers; this is one of them.":b}
    ${n.alignment_head?.shift&&t.detail?"The text view shows this head at next input, one step later.":b}</p>`}function cs({record:e,change:t}){return e.head_trace?f`<button data-testid="traced-head"
    @click=${()=>t(q(e),'[data-testid="forward"]')}>
    Show the head with all vectors</button>`:b}function tr({selection:e},t){let n=typeof e.head=="number"?e.head:0;return f`<p class="note">The record does not have ${t} of this head. To record it:
    <code>regard explain … --attention ${e.attention} --head ${n}</code></p>`}function Ql({selection:e,change:t},n){let{attention:r,scores:i,weights:o,recorded:s,detail:a}=n;if(!i)return f`<p class="note">The ${e.head==="mean"?"mean":"maximum"} of several heads
      has no scores.</p>`;let c=Math.max(...o.map((m,h)=>Math.abs(m-s[h]))),l=e.temperature,u=m=>t({temperature:2**Number(m.target.value)}),d=r.normalizer.name;return f`${d==="hard"||d==="uniform"?b:f`<label class="field" for="temperature">
          temperature τ = ${l===1?"1, as in the model":w(l)}
          <input id="temperature" data-testid="temperature" type="range" min="-3" max="3" step="0.25"
            .value=${String(Math.log2(l))}
            @input=${u}>
        </label>`}
  ${r.prior==="gaussian"?f`<p class="note">Your browser recomputes the softmax. The Gaussian is the ratio of the
          recorded weights to this softmax, because the record does not have p and D.</p>`:b}
  ${l===1&&!a?f`<p class="note">The weights of the model. At another τ your browser computes them from
          scores in half precision.</p>`:l===1?f`<p class="note">Computed by your browser; the recorded weights differ by at most
          <data data-testid="recompute-error" data-value=${c} value=${c}
            >${c.toExponential(0).replace("-","−")}</data>.</p>`:f`<p class="note">These are not the weights of the model.
          <button data-testid="reset-temperature"
            @click=${()=>t({temperature:1},"#temperature")}>Back to τ = 1</button></p>`}`}var us=S`
  .trace { display: grid; gap: 1.25rem; }
  .trace > * { min-width: 0; }
  .middle {
    display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.25rem;
    align-items: start;
  }
  .sides { display: grid; gap: 1.25rem; }
  .stage, .positions {
    border-inline-start: 3px solid var(--line); padding: 0.1rem 0 0.1rem 1rem; display: grid;
    gap: 0.6rem; min-width: 0;
  }
  .stage > *, .positions > * { min-width: 0; }
  .trace .now { border-color: var(--accent); }
  .trace .now > h3 { color: var(--accent); }
  .trace code { font-size: 0.85em; overflow-wrap: anywhere; }
  @media (max-width: 52rem) { .middle { grid-template-columns: minmax(0, 1fr); } }
`;var ft=()=>!0,ds=e=>e.source?.kind==="image",rr=[{id:"image",title:"Image",render:Ho,fits:e=>ds(e[0])},{id:"text",title:"Text",render:ts,fits:e=>!ds(e[0])},{id:"matrix",title:"Matrix",render:Wo,fits:ft},{id:"trace",title:"Step by step",render:ls,fits:ft},{id:"heads",title:"Layers × heads",render:Ro,fits:ft},{id:"beam",title:"Beam search",render:Zi,fits:ft},{id:"compare",title:"Compare",render:uo,fits:e=>e.length>1},{id:"interventions",title:"Interventions",render:Oo,fits:ft}],rn=class extends le{static styles=[es,co,is,So,vo,Ui,yo,us,Co,Ji,fo,Io,Vo];#e=[];#t=null;#r="";#s=!1;#i="";#o=0;#a=960;#l=new ResizeObserver(([t])=>{this.#a=t.contentRect.width,this.requestUpdate()});#c=matchMedia("(prefers-color-scheme: dark)");#u=()=>this.requestUpdate();#d=()=>this.#n(this.#f());connectedCallback(){super.connectedCallback(),this.#l.observe(this),this.#c.addEventListener("change",this.#u),window.addEventListener("hashchange",this.#d);let t=this.querySelectorAll(':scope > script[type="application/json"]');(t.length||!this.#s)&&this.show(Array.from(t,n=>n.textContent??""))}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.#o),this.#l.disconnect(),this.#c.removeEventListener("change",this.#u),window.removeEventListener("hashchange",this.#d)}async show(t){this.#s=!0,this.#r="";try{if(this.#e=await Promise.all(t.map(Zo)),!this.#e.length)throw new Error("The page has no record to show.");let n=rr.filter(r=>r.fits(this.#e));this.#t={...Pi(this.#e,n[0].id),...this.#f()}}catch(n){this.#r=n instanceof Error?n.message:String(n)}this.requestUpdate(),await this.updateComplete,performance.mark("regard-ready"),this.dispatchEvent(new Event("regard-ready"))}#f(){let[t,n]=this.#m()?location.hash.slice(1).split("/"):[],r=rr.find(o=>o.id===t&&o.fits(this.#e));if(!r)return{};let i=Number(n)-1;return i>=0?{view:r.id,row:i,column:-1}:{view:r.id}}#m(){return location.protocol!=="about:"&&document.querySelectorAll("regard-view").length===1}#n(t,n=""){if(!this.#t)return;let r=t.record,i=r===void 0?{}:q(this.#e[r]);this.#t={...this.#t,...i,...t},this.#i=n;let{view:o,row:s}=this.#t,a=o==="trace"?`#trace/${s+1}`:`#${o}`;(t.view||o==="trace")&&this.#m()&&location.hash!==a&&history.replaceState(null,"",a),this.requestUpdate()}updated(t){clearTimeout(this.#o);let n=this.#t;if(n?.playing){let i=this.#e[n.record].steps.length,o=()=>this.#n(nn(n,i,1));this.#o=window.setTimeout(o,n.pace*1e3)}if(!this.#i)return;let r=this.renderRoot.querySelector(this.#i);this.#i="",r?.focus()}render(){let t=this.#t;if(this.#r)return f`<p class="placeholder" role="alert">${this.#r}</p>`;if(!t)return f``;let n=this.#e,r=n[t.record],i={records:n,record:r,selection:t,width:this.#a,change:(a,c)=>this.#n(a,c)},o=rr.filter(a=>a.fits(n)),s=o.find(a=>a.id===t.view)??o[0];return f`${this.#h(i)}
      <div role="tablist" aria-label="views" @keydown=${a=>this.#g(a,o)}>
        ${o.map(a=>f`<button role="tab" id=${`tab-${a.id}`} data-testid=${`tab-${a.id}`}
            aria-selected=${a===s} aria-controls="panel" tabindex=${a===s?0:-1}
            @click=${()=>this.#n({view:a.id,playing:!1})}>${a.title}</button>`)}
      </div>
      <section class="panel" role="tabpanel" id="panel" data-testid=${`view-${s.id}`}
        aria-labelledby=${`tab-${s.id}`}>${s.render(i)}</section>
      ${this.#p(r)}`}#h({records:t,record:n,selection:r}){let{model:i,created:o}=n,s=t.length>1?f`<h2 class="hidden">${t.length} models</h2><label>model <select data-testid="model" @change=${c=>this.#n({record:Number(c.target.value)})}>
            ${t.map((c,l)=>f`<option value=${l} ?selected=${l===r.record}>
                ${c.model.name}</option>`)}</select></label>`:f`<h2>${i.name}</h2>`,a=[i.description,o.search,o.engine&&`engine ${o.engine}`,o.precision];return f`<header>${s}
      <p>${a.filter(Boolean).join(" · ")}${o.search==="given"?" (the user gave the target)":b}</p></header>`}#p({model:t,created:n}){let r=[`${t.parameters.toLocaleString("en")} parameters`,`weights ${t.sha256.slice(0,12)}`,n.regard&&`regard ${n.regard}`,n.torch&&`torch ${n.torch}`];return f`<p class="note provenance" data-testid="provenance" title=${t.sha256}>
      ${r.filter(Boolean).join(" · ")}</p>`}#g(t,n){let r=n.findIndex(({id:s})=>`tab-${s}`===t.target.id),i=n.length-1,o={ArrowRight:r===i?0:r+1,ArrowLeft:r<=0?i:r-1,Home:0,End:i}[t.key];o!==void 0&&(t.preventDefault(),this.#n({view:n[o].id,playing:!1},`#tab-${n[o].id}`))}};customElements.get("regard-view")||customElements.define("regard-view",rn);
